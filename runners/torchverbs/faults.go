package torchverbs

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sentweave/runners/command"
	"sentweave/schemas/fault"
	"sentweave/schemas/yamlfile"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/train"
)

// placed is a fault of a training with the place that it has in a file of settings.
var placed = regexp.MustCompile(`^periods\[(\d+)\](?:\.mixture\[(\d+)\])?: ((?:optimizer: )?)([a-z0-9_]+)( .*)$`)

// ofObjective is a fault of the settings of an objective.
var ofObjective = regexp.MustCompile(`^([a-z0-9]+): ([a-z0-9_]+)( .*)$`)

// ofOption is a fault of what a training may have or not.
var ofOption = regexp.MustCompile(`^((?:validation|sampling): [a-z_]+)( .*)$`)

// optionFlags are the flags of these settings.
var optionFlags = map[string]string{
	"validation: every": "validate-every", "validation: share": "validate-share", "validation: datasets": "validate",
	"validation: examples": "validate-examples", "validation: metric": "metric",
	"validation: least_change": "least-change", "validation: patience": "patience", "sampling: by": "sample-by",
	"sampling: alpha": "sample-alpha",
}

// optionTexts writes the faults that are of two of them.
var optionTexts = strings.NewReplacer(
	"validation: give share, to hold examples out, or datasets of",
	"give --validate-share, to hold examples out, or --validate, datasets of",
	"validation: share and datasets exclude", "--validate-share and --validate exclude",
	"such as stsb/spearman, and needs datasets, which", "such as stsb/spearman, and needs --validate, which",
)

// flagOf are the flags whose names are not those of the fields that they set.
var flagOf = map[string]string{"max_tokens": "tokens", "weight": "bitext-weight", "optimizer: name": "optimizer",
	"optimizer: decay": "weight-decay", "optimizer: epsilon": "epsilon", "optimizer: clip": "clip"}

// asFlags writes the faults of a training by the flags that set what is wrong, or with
// the lines of the file that does.
func (t *Train) asFlags(c train.Config, err error) error {
	if err == nil {
		return nil
	}
	sections := map[string]bool{} // of validation and sampling
	for key, flag := range optionFlags {
		section, _, _ := strings.Cut(key, ":")
		sections[section] = sections[section] || slices.Contains(t.given, flag)
	}
	var lines []string
	for _, line := range strings.Split(err.Error(), "\n") {
		if section, _, _ := strings.Cut(line, ":"); sections[section] {
			line = optionTexts.Replace(line)
			if m := ofOption.FindStringSubmatch(line); m != nil && optionFlags[m[1]] != "" {
				line = "--" + optionFlags[m[1]] + m[2]
			}
		} else if flag, rest := t.flagAtFault(c, line); flag != "" && (t.Config == "" || slices.Contains(t.given, flag)) {
			line = flag + rest
		} else if t.Config != "" {
			line = t.inFile(line)
		}
		if !slices.Contains(lines, line) { // of several periods
			lines = append(lines, line)
		}
	}
	var errs fault.List
	for _, line := range lines {
		errs.Add(fmt.Errorf("%s", line))
	}
	return errs.Err()
}

// flagAtFault splits a fault into the flag that sets what is wrong, if there is one, and
// what is the matter with it.
func (t *Train) flagAtFault(c train.Config, line string) (flag, rest string) {
	if m := placed.FindStringSubmatch(line); m != nil {
		return t.flagOfPeriod(c, m[1], m[2], m[3]+m[4]), m[5]
	}
	if rest, ok := strings.CutPrefix(line, "max_spike"); ok {
		return "max-spike", rest
	}
	if m := ofObjective.FindStringSubmatch(line); m != nil && slices.Contains(objective.Names(), m[1]) {
		return t.flagOfObjective(m[1], m[2]), m[3]
	}
	return "", ""
}

// flagOfPeriod is the flag of a setting of a period, or of a source of its mixture.
func (t *Train) flagOfPeriod(c train.Config, period, source, key string) string {
	switch flag, ok := flagOf[key]; {
	case ok:
		return flag
	case key == "batch_size" && t.readsBitext(c, period, source):
		return "bitext-batch"
	case key == "batch_size":
		return "batch"
	default:
		return strings.ReplaceAll(strings.TrimPrefix(key, "optimizer: "), "_", "-")
	}
}

var (
	// inPeriods is a fault of a period, or of a source of its mixture.
	inPeriods = regexp.MustCompile(`^periods\[(\d+)\](?:\.(mixture)\[(\d+)\])?: (.*)$`)
	// beginning is that of a fault, which is mostly a key, or a key and one below it.
	beginning = regexp.MustCompile(`^(?:([a-z0-9_]+): )?([a-z0-9_]+)`)
)

// inFile writes a fault with the line of the file of --config in which its key stands, or
// the mapping that lacks it.
func (t *Train) inFile(line string) string {
	var path []any
	if m := inPeriods.FindStringSubmatch(line); m != nil {
		i, _ := strconv.Atoi(m[1]) // of digits
		path, line = append(path, "periods", i), m[4]
		if m[2] != "" {
			k, _ := strconv.Atoi(m[3])
			path = append(path, m[2], k)
		}
	}
	if m := beginning.FindStringSubmatch(line); m != nil {
		if slices.Contains(objective.Names(), m[1]) {
			path = append(path, "objectives")
		}
		if m[1] != "" {
			path = append(path, m[1])
		}
		path = append(path, m[2])
	}
	number, err := yamlfile.Line(t.Config, t.text, path...)
	if err != nil {
		return line // which cannot be: the file was read
	}
	return (&yamlfile.Fault{File: t.Config, Line: number, Message: line}).Error()
}

// flagOfObjective is the flag of a setting of an objective: its key, or the key behind the
// name of the objective.
func (t *Train) flagOfObjective(name, key string) string {
	flag := strings.ReplaceAll(key, "_", "-")
	flags, err := command.FlagNames(t.Objectives[slices.Index(objective.Names(), name)])
	if long := name + "-" + flag; err == nil && slices.Contains(flags, long) {
		return long
	}
	return flag
}

// readsBitext says whether a source of a preset reads --bitext, whose batches have a flag
// of their own.
func (t *Train) readsBitext(c train.Config, period, source string) bool {
	i, _ := strconv.Atoi(period) // of digits
	k, _ := strconv.Atoi(source)
	if i >= len(c.Periods) || k >= len(c.Periods[i].Mixture) {
		return false
	}
	dataset := c.Periods[i].Mixture[k].Dataset
	return dataset == bitextGiven || slices.Contains(t.Bitext, dataset)
}

// biasFault returns an error for flags of a new encoder's bias, beside a --from that has
// a head with the bias.
func (t *Train) biasFault(c train.Config) error {
	var errs fault.List
	if _, why, err := model.TiedHead(&model.Folder{Path: t.From}); why != "" || err != nil { // opening it tells of the error
		return nil
	}
	for _, name := range objective.Names() {
		o, begins := c.Objectives[name].(interface{ BeginsWithUnigrams() bool })
		if begins && o.BeginsWithUnigrams() {
			flag := t.flagOfObjective(name, "unigram_bias")
			errs.Check(!slices.Contains(t.given, flag), "%s is for new encoders: the encoder of --from has its bias", flag)
		}
	}
	return errs.Err()
}
