package units

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Settings are what all pipelines have and what decides their output. The tags
// are read by the command line.
type Settings struct {
	Seed       uint64 `help:"Seed of every random choice." default:"1" group:"Output"`
	ShardBytes Bytes  `help:"Input bytes that make one shard, as in 64MiB." default:"64MiB" group:"Output"`
}

// Validate returns all faults of the settings.
func (s Settings) Validate() error {
	if s.ShardBytes < 1 {
		return errors.New("shard-bytes must be at least 1")
	}
	return nil
}

// OneOf returns an error unless value is one of the choices of a setting. The
// command line has checked that, a recipe or a program has not.
func OneOf(setting, value string, choices ...string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return fmt.Errorf("%s %q is none of %s", setting, value, strings.Join(choices, ", "))
}

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
