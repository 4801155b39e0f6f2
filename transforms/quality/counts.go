package quality

// counts are what a text consists of.
type counts struct {
	characters int
	run        int // the longest run of one character
	class      [classes]int
	script     [64]int // letters by script; the first counts everything else
}

// add counts the characters of a text.
func (c *counts) add(t *[tableSize]character, text string) {
	last, run := rune(-1), 0
	for _, r := range text {
		k := classify(t, r)
		c.class[k&15]++
		c.script[k>>4&63]++
		c.characters++
		if r != last {
			last, run = r, 0
		}
		run++
		if run > c.run {
			c.run = run
		}
	}
}

// letters returns the number of letters, of those in dense scripts, and of those
// in scripts that do not separate words.
func (c *counts) letters() (all, dense, unspaced int) {
	all = c.class[letter] + c.class[upper] + c.class[lower]
	for i := range scripts {
		n := c.script[i]
		if scripts[i].dense {
			dense += n
		}
		if scripts[i].unspaced {
			unspaced += n
		}
	}
	return all, dense, unspaced
}

// share returns the share of a class in all characters.
func (c *counts) share(x class) float64 {
	return float64(c.class[x]) / float64(max(1, c.characters))
}

// inScripts returns the number of letters in a set of scripts.
func (c *counts) inScripts(set uint64) int {
	n := 0
	for i := range scripts {
		if set>>i&1 != 0 {
			n += c.script[i]
		}
	}
	return n
}
