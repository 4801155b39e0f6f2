package filters

// counter counts 64-bit hashes: open addressing with linear probing, at most half
// full, its memory kept from use to use.
type counter struct {
	keys   []uint64 // 0 is empty
	counts []int32
	mask   uint64
}

// reset empties the counter and makes room for n hashes.
func (c *counter) reset(n int) {
	size := 16
	for size < 2*n {
		size *= 2
	}
	if size > len(c.keys) {
		c.keys, c.counts = make([]uint64, size), make([]int32, size)
	} else {
		clear(c.keys[:size])
	}
	c.mask = uint64(size - 1)
}

// slot returns the place of a hash, or the one that it would take.
func (c *counter) slot(hash uint64) uint64 {
	i := hash ^ hash>>32
	for {
		i &= c.mask
		if c.keys[i] == 0 || c.keys[i] == hash {
			return i
		}
		i++
	}
}

// add counts a hash and returns how often it has been added.
func (c *counter) add(hash uint64) int32 {
	hash = max(hash, 1)
	i := c.slot(hash)
	if c.keys[i] == 0 {
		c.keys[i], c.counts[i] = hash, 0
	}
	c.counts[i]++
	return c.counts[i]
}

// count returns how often a hash has been added.
func (c *counter) count(hash uint64) int32 {
	hash = max(hash, 1)
	i := c.slot(hash)
	if c.keys[i] == 0 {
		return 0
	}
	return c.counts[i]
}
