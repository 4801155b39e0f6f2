package inputs

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bytes is a number of bytes that reads and prints with a unit: 64MiB, 1GB, 500.
type Bytes int64

var byteUnits = []struct {
	name string
	size float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1},
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *Bytes) UnmarshalText(text []byte) error {
	for _, unit := range byteUnits {
		digits, ok := strings.CutSuffix(string(text), unit.name)
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if err != nil || !(x >= 0 && x*unit.size <= math.MaxInt64/2) { // so that NaN is refused, too
			break
		}
		*b = Bytes(x * unit.size)
		return nil
	}
	return fmt.Errorf("%q is not a number of bytes; write 500, 64MiB or 1GB", text)
}

// String gives the shortest exact form with a binary unit.
func (b Bytes) String() string {
	for _, unit := range []struct {
		name string
		size Bytes
	}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if b >= unit.size && b%unit.size == 0 {
			return fmt.Sprintf("%d%s", b/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%dB", int64(b))
}
