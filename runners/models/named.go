package models

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sentweave/runners/command"
	"sentweave/stages/train"
)

// beginnings turn a field of a training's record into a fault of what sets it, as Validate of
// train.Config writes faults.
var beginnings = []struct {
	field *regexp.Regexp
	fault string
}{
	{regexp.MustCompile(`^config\.(periods\[\d+\](?:\.mixture\[\d+\])?)\.(?:(optimizer)\.)?(\w+)$`), "$1: $2: $3 "},
	{regexp.MustCompile(`^config\.(validation|sampling)\.(\w+)$`), "$1: $2 "},
	{regexp.MustCompile(`^config\.model\.(\w+)\.(\w+)$`), "$1: $2 "},
	{regexp.MustCompile(`^config\.(?:model\.)?(\w+)$`), "$1"},
}

// sizeFlags are the flags of the sizes of an encoder, by the fields of its config.json.
var sizeFlags = map[string]string{
	"hidden_size": "hidden", "num_hidden_layers": "layers", "num_attention_heads": "heads", "intermediate_size": "intermediate",
	"max_position_embeddings": "positions", "hidden_dropout_prob": "dropout", "attention_probs_dropout_prob": "dropout", "initializer_range": "initializer-range",
}

// named returns how a user knows the fields of a training's record: by the flag that sets
// them, with the period if there are several, or by the place in the file of --config.
func (t *Train) named(c train.Config) func(field string) string {
	return func(field string) string {
		flag, period := t.flagOfField(c, field)
		known, err := command.FlagNames(t)
		if err != nil || !slices.Contains(known, flag) || t.Config != "" && !slices.Contains(t.given, flag) {
			return strings.TrimPrefix(field, "config.")
		}
		if i, err := strconv.Atoi(period); err == nil && len(c.Periods) > 1 && i < len(c.Periods) {
			return "--" + flag + " of period " + c.Periods[i].Name
		}
		return "--" + flag
	}
}

// flagOfField is the flag that sets a field, if there is one, and the number of its period.
func (t *Train) flagOfField(c train.Config, field string) (flag, period string) {
	if key, ok := strings.CutPrefix(field, "config.model.model."); ok {
		return sizeFlags[key], ""
	}
	for _, b := range beginnings {
		if !b.field.MatchString(field) {
			continue
		}
		fault := strings.ReplaceAll(b.field.ReplaceAllString(field, b.fault), ": : ", ": ")
		if flag = optionFlags[strings.TrimSpace(fault)]; flag != "" {
			return flag, ""
		}
		if m := placed.FindStringSubmatch(fault); m != nil {
			period = m[1]
		}
		if flag, _ = t.flagAtFault(c, fault); flag == "" {
			flag = strings.ReplaceAll(fault, "_", "-")
		}
		return flag, period
	}
	return "", ""
}
