// Package spelling suggests the known name that a misspelled one is closest to.
package spelling

// Nearest returns the known name that is the fewest edits from name, of several the
// first, or none if all are more than two edits from it. It compares bytes: names of
// flags, columns and steps are ASCII. Two neighbours that changed places are one edit, and of names that
// are equally near one of the same length is taken.
func Nearest(name string, names []string) string {
	best, minimum := "", 3
	for _, k := range names {
		if d := distance(name, k); d < minimum || d == minimum && best != "" && len(k) == len(name) && len(best) != len(name) {
			best, minimum = k, d
		}
	}
	return best
}

// Proposal names the nearest of the known names, as the middle of a sentence: ", did you mean
// steps?", or nothing.
func Proposal(name string, names []string) string {
	if near := Nearest(name, names); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// distance counts insertions, deletions, replacements and swaps of two neighbours, none of which is edited
// again: Levenshtein's distance with the swaps of Damerau (1964).
func distance(a, b string) int {
	previous, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		previous, last, row = last, row, previous
		row[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], previous[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
