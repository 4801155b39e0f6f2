package characters

import "math/bits"

// Counts are what a text consists of. The zero value is that of an empty text.
type Counts struct {
	// Characters is the number of code points.
	Characters int
	// Run is the length of the longest run of one character.
	Run  int
	of   [64]int // by character: letters by script, all others by class
	seen uint64  // the characters of which there are any, as a set
}

// Add counts the characters of a text. It allocates nothing.
func (c *Counts) Add(text string) {
	t := table()
	last, run, longest, classes := rune(-1), 0, c.Run, c.seen
	for _, r := range text {
		k := classify(t, r) & 63
		c.of[k]++
		classes |= 1 << k
		if r != last {
			last, run = r, 0
		}
		run++
		if run > longest {
			longest = run
		}
	}
	c.Characters, c.Run, c.seen = 0, longest, classes
	for ; classes != 0; classes &= classes - 1 {
		c.Characters += c.of[bits.TrailingZeros64(classes)&63]
	}
}

// Join adds the counts of another text.
func (c *Counts) Join(counts *Counts) {
	c.Characters += counts.Characters
	c.Run = max(c.Run, counts.Run)
	c.seen |= counts.seen
	for rest := counts.seen; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest) & 63
		c.of[i] += counts.of[i]
	}
}

// Of returns the number of characters of a class.
func (c *Counts) Of(x Class) int {
	if x != Letter {
		return c.of[x&63]
	}
	letters := 0
	for s := range c.scripts {
		letters += c.of[s]
	}
	return letters
}

// scripts yields those of which there are letters, in their order.
func (c *Counts) scripts(yield func(int) bool) {
	for rest := c.seen & (1<<Other - 1); rest != 0; rest &= rest - 1 {
		if !yield(bits.TrailingZeros64(rest) & 63) {
			return
		}
	}
}

// IsDense reports whether most letters are of scripts in which a character is a word
// or a syllable.
func (c *Counts) IsDense() bool {
	dense := 0
	for s := range c.scripts {
		if scripts[s].dense {
			dense += c.of[s]
		}
	}
	return 2*dense > c.Of(Letter)
}

// WordLetters returns the usual number of letters in a word where most letters are of
// scripts that do not separate words: 2 in Chinese, 3 in Japanese and in the scripts of
// South-East Asia. Where words are separated, it is 1.
func (c *Counts) WordLetters() int {
	unspaced, word := 0, 1
	for s := range c.scripts {
		if scripts[s].unspaced {
			unspaced += c.of[s]
		}
	}
	if 2*unspaced <= c.Of(Letter) {
		return 1
	}
	for s := range c.scripts { // a fifth: Kana tell Japanese from Chinese
		if 5*c.of[s] >= unspaced {
			word = max(word, scripts[s].word)
		}
	}
	return word
}

// Weights are the letters of a text, each as many as its script makes it worth, that
// is, as letters of an alphabet would say the same: 3 for a Han character, 2 for a
// Hangul or Yi syllable, 1.5 for letters of other scripts of syllables (Kana, Ethiopic)
// or without spaces (Thai, Khmer). "安装 vim" is six letters of Chinese and three of
// English.
type Weights struct {
	Length   float64 // of the letters and all other characters
	Letters  float64
	Dense    float64 // of letters in scripts in which a character is a word or a syllable
	Unspaced float64 // of letters in scripts that do not separate words
	Expected float64 // of letters in a set of scripts
}

// Weigh returns the weights; set is that of the expected scripts.
func (c *Counts) Weigh(set Set) Weights {
	w := Weights{Length: float64(c.Characters), Letters: float64(c.Of(Letter))}
	for i := range c.scripts {
		s, n := &scripts[i], float64(c.of[i])
		weight := n
		if s.weight != 0 {
			weight *= s.weight
			w.Letters += weight - n
			w.Length += weight - n
		}
		if s.dense {
			w.Dense += weight
		}
		if s.unspaced {
			w.Unspaced += weight
		}
		if set>>i&1 != 0 {
			w.Expected += weight
		}
	}
	return w
}
