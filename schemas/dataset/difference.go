package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
)

// Mismatch is the error for a folder with the output of another plan or request. It matches
// ErrOtherPlan.
type Mismatch struct {
	// What says what is there, and how it differs; Way is the way out.
	What, Way string
	// Cause is an error that What tells, nil for none.
	Cause error
}

// Error joins both.
func (o Mismatch) Error() string { return o.What + "; " + o.Way }

// Is makes it match ErrOtherPlan.
func (o Mismatch) Is(target error) bool { return target == ErrOtherPlan }

// Unwrap returns the cause.
func (o Mismatch) Unwrap() error { return o.Cause }

func (p *Plan) refusal(folder storage.Folder, difference string) error {
	return Mismatch{
		What: fmt.Sprintf("%v is in %s: %s", ErrOtherPlan, folder, difference),
		Way:  "choose another --out, or give --overwrite to delete that dataset first",
	}
}

// difference names what makes two plans unequal, or returns "".
func (p *Plan) difference(q *Plan) string {
	if p.Hash == q.Hash {
		return ""
	}
	var parts []string
	add := func(name string, current, previous any) {
		if h, t := fmt.Sprint(current), fmt.Sprint(previous); h != t {
			parts = append(parts, fmt.Sprintf("%s is %s there and %s here", name, t, h))
		}
	}
	add("layout format", p.Format, q.Format)
	add("pipeline", p.Pipeline, q.Pipeline)
	if p.Pipeline != q.Pipeline { // whose settings differ all
		return strings.Join(parts, "; ")
	}
	add("pipeline version", p.PipelineVersion, q.PipelineVersion)
	add("schema", fmt.Sprint(p.Schema, " v", p.SchemaVersion), fmt.Sprint(q.Schema, " v", q.SchemaVersion))
	add("seed", p.Seed, q.Seed)
	add("shard bytes", p.ShardBytes, q.ShardBytes)
	parts = append(parts, configDifference(p.Config, q.Config)...)
	roles := func(inputs []Input) (roles []string) {
		for _, i := range inputs {
			roles = append(roles, i.Role)
		}
		return roles
	}
	add("list of inputs", roles(p.Inputs), roles(q.Inputs))
	if len(p.Inputs) == len(q.Inputs) {
		for i, input := range p.Inputs {
			if d := input.Difference(q.Inputs[i]); d != "" {
				parts = append(parts, d)
			}
		}
	}
	if len(parts) == 0 {
		add("number of units", p.Units, q.Units)
		add("hash of the units", p.UnitsXXH3, q.UnitsXXH3)
		add("keeping of spill files", p.SpillsKept != nil, q.SpillsKept != nil)
		add("layout of the pages", strconv.Quote(p.Layout), strconv.Quote(q.Layout))
	}
	if len(parts) == 0 { // never silent: "" would mean that the plans are equal
		add("plan hash", p.Hash, q.Hash)
	}
	return strings.Join(parts, "; ")
}

// DifferenceBeyond names what makes two plans unequal apart from their units, the size of these and the inputs of the roles, or returns "".
func (p *Plan) DifferenceBeyond(q *Plan, roles ...string) (string, error) {
	bare := [2]Plan{*p, *q}
	for i := range bare {
		b := &bare[i]
		b.ShardBytes, b.Units, b.UnitsPerFile, b.UnitsXXH3, b.SpillsKept = 0, 0, 0, "", nil
		b.Inputs = slices.DeleteFunc(append([]Input{}, b.Inputs...), func(input Input) bool { return slices.Contains(roles, input.Role) })
		if _, err := sealed.Seal(b); err != nil { // which sets the hash
			return "", err
		}
	}
	return bare[0].difference(&bare[1]), nil
}

// configDifference names the keys by which two configurations, objects of JSON,
// differ, in the order of the keys: "config seed is 1 there and 2 here". It is empty
// if they are equal.
func configDifference(current, previous json.RawMessage) []string {
	var a, b map[string]json.RawMessage
	if jsonfile.Unmarshal(current, &a) != nil || jsonfile.Unmarshal(previous, &b) != nil {
		if bytes.Equal(compact(current), compact(previous)) {
			return nil
		}
		return []string{"the config differs"}
	}
	var parts []string
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	for _, k := range slices.Compact(keys) {
		if x, y := string(compact(a[k])), string(compact(b[k])); x != y {
			parts = append(parts, fmt.Sprintf("config %s is %s there and %s here", k, quotedValue(y), quotedValue(x)))
		}
	}
	return parts
}

// longestShown is the number of characters of a value that a message repeats.
const longestShown = 120

// quotedValue is a value as a message has it.
func quotedValue(s string) string {
	if s == "" {
		return "unset"
	}
	return excerpt.Characters(s, longestShown)
}

func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
