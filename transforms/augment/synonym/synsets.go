package synonym

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"sentweave/schemas/spelling"
)

// maxLine is the longest line of a file, in bytes; the longest of WordNet's has 14,000.
const maxLine = 1 << 20

// ReadSynsets reads a table of synsets: lines of four fields between tabs, id, part
// of speech (n, v, a, s, r), lexicographer file, and the members between "|", with
// spaces between the words of one:
//
//	00335613-v	v	verb.change	ladder|run
//
// The second field and the members are used; empty lines are not lines. It tells
// neither how often a sense is used nor irregular forms. Error: a line of another
// form, by its number; a synset without members; an id that stands twice; no line.
func ReadSynsets(r io.Reader) (*Lexicon, error) {
	l := &Lexicon{}
	ids := map[string]struct{}{}
	err := eachLine(r, "", func(line string) error {
		if line == "" {
			return nil
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 4 {
			return fmt.Errorf("%s between tabs, want 4: id, part of speech, file, members", spelling.Number(len(fields), "field"))
		}
		if _, ok := ids[fields[0]]; ok {
			return fmt.Errorf("synset %q stands twice", fields[0])
		}
		ids[fields[0]] = struct{}{}
		pos, ok := partOf(fields[1])
		if !ok {
			return fmt.Errorf("part of speech %q is not one of n, v, a, s, r", fields[1])
		}
		s := synset{pos: pos}
		for m := range strings.SplitSeq(fields[3], "|") {
			if m == "" || strings.TrimSpace(m) != m {
				return fmt.Errorf("member %q of %q", m, fields[3])
			}
			s.members = append(s.members, member{word: m})
		}
		id := l.add(s)
		for i, m := range s.members {
			if !standsIn(s.members[:i], m.word) {
				l.addSense(m.word, sense{synset: id})
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read synsets: %w", err)
	}
	if len(l.synsets) == 0 {
		return nil, fmt.Errorf("read synsets: the file has no synset")
	}
	return l, nil
}

func standsIn(members []member, word string) bool {
	for _, m := range members {
		if m.word == word {
			return true
		}
	}
	return false
}

// eachLine calls use for each line without its end, and without what follows the mark,
// if that is not "". An error names the line, counted from 1.
func eachLine(r io.Reader, mark string, use func(line string) error) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 64<<10), maxLine)
	number := 0
	for scanner.Scan() {
		number++
		line := bytes.TrimSuffix(scanner.Bytes(), []byte("\r"))
		if mark != "" {
			line, _, _ = bytes.Cut(line, []byte(mark))
		}
		if !utf8.Valid(line) {
			return fmt.Errorf("line %d: not UTF-8", number)
		}
		if err := use(string(line)); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("line %d: %w", number+1, err)
	}
	return nil
}
