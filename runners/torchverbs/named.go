package torchverbs

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sentweave/runners/command"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/train"
)

// inConfig is a field of a training's record: of a period, of a source of its mixture, or of neither.
var inConfig = regexp.MustCompile(`^config\.(?:periods\[(\d+)\]\.(?:mixture\[(\d+)\]\.)?|model\.)?(.*)$`)

// sizeFlags are the flags of the sizes of an encoder, by the fields of its config.json.
var sizeFlags = map[string]string{
	"hidden_size": "hidden", "num_hidden_layers": "layers", "num_attention_heads": "heads", "intermediate_size": "intermediate",
	"max_position_embeddings": "positions", "hidden_dropout_prob": "dropout", "attention_probs_dropout_prob": "dropout",
	"embedding_dropout": "dropout",
	"initializer_range": "initializer-range", "model_type": "architecture",
}

// sizeFaults returns the faults of the settings of an encoder, each once, by the flags that set them, or by the given ones alone unless
// these are nil.
func sizeFaults(c model.Config, given []string) error {
	err := c.ValidateAs(func(field string) string {
		if flag := sizeFlags[field]; flag != "" && (given == nil || slices.Contains(given, flag)) {
			return "--" + flag
		}
		return ""
	})
	if err == nil {
		return nil
	}
	return errors.New(strings.Join(slices.Compact(strings.Split(err.Error(), "\n")), "\n"))
}

// named returns how a user knows the fields of a training's record: by the flag that sets
// them, with the period if there are several, or by the place in the file of --config.
func (t *Train) named(c train.Config) func(field string) string {
	return func(field string) string {
		flag, period := t.flagOfField(c, field)
		names, err := command.FlagNames(t)
		if err != nil || !slices.Contains(names, flag) || t.Config != "" && !slices.Contains(t.given, flag) {
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
	m := inConfig.FindStringSubmatch(field)
	if m == nil {
		return "", ""
	}
	if m[1] != "" {
		return t.flagOfPeriod(c, m[1], m[2], strings.Replace(m[3], ".", ": ", 1)), m[1]
	}
	section, key, nested := strings.Cut(m[3], ".")
	switch {
	case !nested:
		flag = strings.ReplaceAll(section, "_", "-")
	case section == "model":
		flag = sizeFlags[key]
	case slices.Contains(objective.Names(), section):
		flag = t.flagOfObjective(section, key)
	default:
		flag = optionFlags[section+": "+key]
	}
	return flag, ""
}
