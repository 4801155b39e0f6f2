// Package diff compares two complete datasets by their manifests: their plans, how
// many items each step dropped, and whether the rows are equal. It reads no rows,
// because the content hash stands for them.
package diff

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
)

// Report is the differences of two datasets.
type Report struct {
	// EqualContent says that both hold the same rows, in whatever shards.
	EqualContent bool `json:"equal_content"`
	// Plan, Funnel and Data list the differences only. Without any the manifests
	// are equal.
	Plan   []Change `json:"plan"`
	Funnel []Change `json:"funnel"`
	Data   []Change `json:"data"`
	// Items are those of results, as Items compares them. Compare leaves them out.
	Items []Task `json:"items,omitempty"`
}

// Change is a value that differs.
type Change struct {
	// Name says what it is: "config.min_characters", "documents/quality/eng dropped too_short".
	Name string `json:"name"`
	// A and B are the values; empty where a side has none.
	A string `json:"a"`
	B string `json:"b"`
}

// Compare compares two manifests. The order of the report follows from them alone.
func Compare(a, b *dataset.Manifest) Report {
	r := Report{EqualContent: a.Plan.Schema == b.Plan.Schema && a.Plan.SchemaVersion == b.Plan.SchemaVersion &&
		a.Rows == b.Rows && a.ContentXXH3 == b.ContentXXH3}
	r.Plan = plans(&a.Plan, &b.Plan)
	r.Funnel = funnels(a.Funnel, b.Funnel)
	data := &changes{}
	data.add("rows", a.Rows, b.Rows)
	data.add("content", a.ContentXXH3, b.ContentXXH3)
	data.add("shards", len(a.Shards), len(b.Shards))
	data.add("bytes", a.Bytes, b.Bytes)
	data.add("rejects", rejects(a), rejects(b))
	data.add("counts", counts(a), counts(b))
	r.Data = *data
	return r
}

// Equal says whether nothing differs.
func (r Report) Equal() bool {
	return r.EqualContent && len(r.Plan) == 0 && len(r.Funnel) == 0 && len(r.Data) == 0
}

type changes []Change

func (c *changes) add(name string, a, b any) {
	if x, y := fmt.Sprint(a), fmt.Sprint(b); x != y {
		*c = append(*c, Change{name, x, y})
	}
}

func rejects(m *dataset.Manifest) string { return described(m.Rejects) }

// counts are those of languages that the funnel sums.
func counts(m *dataset.Manifest) string { return described(m.Counts) }

func described(file *dataset.Shard) string {
	if file == nil {
		return ""
	}
	return fmt.Sprintf("%d, %s", file.Rows, file.XXH3)
}

func plans(a, b *dataset.Plan) []Change {
	c := &changes{}
	c.add("pipeline", a.Pipeline, b.Pipeline)
	c.add("pipeline version", a.PipelineVersion, b.PipelineVersion)
	c.add("schema", fmt.Sprint(a.Schema, " v", a.SchemaVersion), fmt.Sprint(b.Schema, " v", b.SchemaVersion))
	c.add("seed", a.Seed, b.Seed)
	c.add("shard bytes", a.ShardBytes, b.ShardBytes)
	x, y := settings(a.Config), settings(b.Config)
	for _, key := range keysOf(x, y) {
		c.add("config."+key, x[key], y[key])
	}
	inputs(c, a.Inputs, b.Inputs)
	c.add("units", a.Units, b.Units)
	return *c
}

// settings flattens a configuration: nested keys are joined by dots.
func settings(config json.RawMessage) map[string]string {
	flat := map[string]string{}
	var descend func(prefix string, value json.RawMessage)
	descend = func(prefix string, value json.RawMessage) {
		var object map[string]json.RawMessage
		if jsonfile.Unmarshal(value, &object) != nil || len(object) == 0 && prefix != "" {
			flat[prefix] = string(value)
			return
		}
		for key, v := range object {
			if prefix != "" {
				key = prefix + "." + key
			}
			descend(key, v)
		}
	}
	descend("", config)
	return flat
}

// inputs compares by role; several inputs of a role are numbered.
func inputs(c *changes, a, b []dataset.Input) {
	byRole := func(inputs []dataset.Input) map[string]dataset.Input {
		m := map[string]dataset.Input{}
		for _, input := range inputs {
			name := input.Role
			for i := 2; ; i++ {
				if _, exists := m[name]; !exists {
					break
				}
				name = input.Role + " " + strconv.Itoa(i)
			}
			m[name] = input
		}
		return m
	}
	describe := func(input dataset.Input, ok bool) string {
		if !ok {
			return ""
		}
		return fmt.Sprintf("%d files, %d bytes, %s", input.Files, input.Bytes, input.XXH3)
	}
	x, y := byRole(a), byRole(b)
	for _, role := range keysOf(x, y) {
		inputA, inA := x[role]
		inputB, inB := y[role]
		c.add("input "+role, describe(inputA, inA), describe(inputB, inB))
	}
}

func funnels(a, b *dataset.Funnel) []Change {
	c := &changes{}
	x, y := flatten(a), flatten(b)
	for _, name := range order(a, b) {
		c.add(name, number(x, name), number(y, name))
	}
	return *c
}

func number(counts map[string]int64, name string) string {
	if n, ok := counts[name]; ok {
		return strconv.FormatInt(n, 10)
	}
	return ""
}

func flatten(f *dataset.Funnel) map[string]int64 {
	counts := map[string]int64{}
	visit(f, func(name string, n int64) { counts[name] = n })
	return counts
}

// order lists the names of both funnels: those of a in its order, then what b has more.
func order(a, b *dataset.Funnel) []string {
	var names []string
	listed := map[string]bool{}
	for _, f := range []*dataset.Funnel{a, b} {
		visit(f, func(name string, _ int64) {
			if !listed[name] {
				listed[name] = true
				names = append(names, name)
			}
		})
	}
	return names
}

// visit calls use for every count, steps in order and languages sorted.
func visit(f *dataset.Funnel, use func(name string, n int64)) {
	if f == nil {
		return
	}
	for _, chain := range f.Chains {
		for _, step := range chain.Steps {
			for _, language := range slices.Sorted(maps.Keys(step.Languages)) {
				count := step.Languages[language]
				prefix := chain.Items + "/" + step.Name + "/" + language
				use(prefix+" in", count.In)
				for _, reason := range slices.Sorted(maps.Keys(count.Dropped)) {
					use(prefix+" dropped "+reason, count.Dropped[reason])
				}
				use(prefix+" out", count.Out)
			}
		}
	}
}

func keysOf[V any](a, b map[string]V) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}
