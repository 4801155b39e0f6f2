package units

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas/dataset"
)

// Settings are the settings that all pipelines share and that decide their output. The
// command line reads the tags.
type Settings struct {
	Seed uint64 `help:"Seed of every random choice." default:"1" group:"Output"`
	// ShardBytes is 0 where the size of the input decides.
	ShardBytes dataset.Bytes `help:"Input bytes that make one unit of work and one shard, as in 64MiB; by default a 64th of the input, at least 1 MiB (256 KiB of a dataset) and at most 64 MiB." default:"0" placeholder:"SIZE" group:"Output"`
}

// UnitBytes returns the bytes that make one unit of an input of so many: those that were
// chosen, or what dataset.UnitBytes says.
func (s Settings) UnitBytes(total, minimum int64) int64 {
	if s.ShardBytes > 0 {
		return int64(s.ShardBytes)
	}
	return dataset.UnitBytes(total, minimum)
}

// Validate returns all faults of the settings.
func (s Settings) Validate() error {
	if s.ShardBytes < 0 {
		return errors.New("shard-bytes must be at least 1, or 0 for a size that follows from the input")
	}
	return nil
}

// OneOf returns an error unless value is one of the choices of a setting. The command
// line has already checked this, but a recipe or a program has not.
func OneOf(setting, value string, choices ...string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return fmt.Errorf("%s %q is not one of %s", setting, value, strings.Join(choices, ", "))
}
