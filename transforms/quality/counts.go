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

// weights are the letters of a text, each as many as its script makes it worth:
// "安装 vim" is six letters of Chinese and three of English.
type weights struct {
	length   float64 // of the letters and all other characters
	letters  float64
	dense    float64 // of letters in dense scripts
	unspaced float64 // of letters in scripts that do not separate words
	expected float64 // of letters in a set of scripts
}

// weigh returns the weights; set is that of the expected scripts.
func (c *counts) weigh(set uint64) weights {
	letters := c.class[letter] + c.class[upper] + c.class[lower]
	w := weights{length: float64(c.characters), letters: float64(letters)}
	for i, n := range c.script[:len(scripts)] {
		if n == 0 || i == 0 {
			continue
		}
		s, weight := &scripts[i], float64(n)
		if s.weight != 0 {
			weight *= s.weight
			w.letters += weight - float64(n)
			w.length += weight - float64(n)
		}
		if s.dense {
			w.dense += weight
		}
		if s.unspaced {
			w.unspaced += weight
		}
		if set>>i&1 != 0 {
			w.expected += weight
		}
	}
	return w
}
