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
	Seed       uint64        `help:"Seed of every random choice." default:"1" group:"Output"`
	ShardBytes dataset.Bytes `help:"Input bytes that make one shard, as in 64MiB." default:"64MiB" group:"Output"`
}

// Validate returns all faults of the settings.
func (s Settings) Validate() error {
	if s.ShardBytes < 1 {
		return errors.New("shard-bytes must be at least 1")
	}
	return nil
}

// OneOf returns an error unless value is one of the choices of a setting. The command
// line has already checked this, but a recipe or a program has not.
func OneOf(setting, value string, choices ...string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return fmt.Errorf("%s %q is none of %s", setting, value, strings.Join(choices, ", "))
}
