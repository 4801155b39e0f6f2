package learner

import (
	"cmp"
	"slices"
	"strings"
)

// restatement is the reference algorithm step by step, with its subtraction
// from prefixes: slow, plain, and independent of the search.
func restatement(words []Word, threshold int64, c Config) []string {
	characters := map[string]bool{}
	for _, w := range words {
		for _, x := range w.Text {
			characters[string(x)] = true
		}
	}
	current := map[string]int64{}
	ensure := func() {
		for x := range characters {
			if _, ok := current[x]; !ok {
				current[x] = 1
			}
			if _, ok := current[c.Joiner+x]; !ok && c.Joiner != "" {
				current[c.Joiner+x] = 1
			}
		}
	}
	ensure()
	for iteration := range c.Iterations {
		counted := make([]map[string]int64, c.MaxCharacters+1)
		for i := range counted {
			counted[i] = map[string]int64{}
		}
		for _, w := range words {
			runes := []rune(w.Text)
			boundaries := make([]int, 0, len(runes))
			if iteration == 0 {
				for i := range runes {
					boundaries = append(boundaries, i+1)
				}
			} else if boundaries = splitIndices(w.Text, current, c.Joiner); boundaries == nil {
				continue
			}
			start := 0
			for _, index := range boundaries {
				for end := start + 1; end <= len(runes); end++ {
					piece := string(runes[start:end])
					if start > 0 {
						piece = c.Joiner + piece
					}
					counted[end-start][piece] += w.Count
				}
				start = index
			}
		}
		current = map[string]int64{}
		for length := c.MaxCharacters; length > 0; length-- {
			for piece, n := range counted[length] {
				kept := n >= threshold
				if c.Mode == documented {
					kept = n > threshold
				}
				if kept {
					current[piece] = n
				}
				if !kept && c.Mode == documented {
					continue
				}
				joiner := ""
				text := []rune(piece)
				if len(text) > length {
					joiner, text = c.Joiner, text[len([]rune(c.Joiner)):]
				}
				for i := 1; i < length; i++ {
					prefix := joiner + string(text[:i])
					if _, ok := counted[i][prefix]; ok {
						counted[i][prefix] -= n
					}
				}
			}
		}
		ensure()
	}
	pieces := slices.Clone(c.Reserved)
	var single, rest []string
	for x := range characters {
		single = append(single, x)
	}
	slices.Sort(single)
	for p := range current {
		rest = append(rest, p)
	}
	slices.SortFunc(rest, func(a, b string) int {
		return cmp.Or(cmp.Compare(current[b], current[a]), strings.Compare(a, b))
	})
	seen := map[string]bool{}
	var unique []string
	for _, p := range slices.Concat(pieces, single, rest) {
		if !seen[p] {
			seen[p] = true
			unique = append(unique, p)
		}
	}
	return unique
}

// splitIndices returns where the greedy tokenizer splits a word, nil if it cannot.
func splitIndices(word string, pieces map[string]int64, joiner string) []int {
	runes := []rune(word)
	var indices []int
	for start := 0; start < len(runes); {
		end := len(runes)
		for ; end > start; end-- {
			piece := string(runes[start:end])
			if start > 0 {
				piece = joiner + piece
			}
			if _, ok := pieces[piece]; ok {
				break
			}
		}
		if end == start {
			return nil
		}
		indices = append(indices, end)
		start = end
	}
	return indices
}
