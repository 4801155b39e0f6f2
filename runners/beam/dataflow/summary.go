package dataflow

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas/dataset"
)

// Transform is a step of the graph.
type Transform struct {
	// Name is that which the console shows.
	Name string
	// Kind is the last part of its URN: pardo, group_by_key, impulse, flatten …
	Kind string
}

// Transforms are the steps of the graph that hold no others, by name.
func (r *Request) Transforms() []Transform {
	var list []Transform
	for _, t := range r.Pipeline.GetComponents().GetTransforms() {
		if len(t.GetSubtransforms()) == 0 {
			list = append(list, Transform{Name: t.GetUniqueName(), Kind: kindOf(t.GetSpec().GetUrn())})
		}
	}
	slices.SortFunc(list, func(a, b Transform) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Kind, b.Kind))
	})
	return list
}

// kindOf turns beam:transform:group_by_key:v1 into group_by_key.
func kindOf(urn string) string {
	parts := strings.Split(urn, ":")
	if len(parts) < 3 {
		return urn
	}
	return parts[2]
}

// Summary describes the request for a user, in lines.
func (r *Request) Summary() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	environment := r.Job.Environment
	pool := environment.WorkerPools[0]
	line("job", "%s in project %s", r.Job.Name, r.Job.ProjectId)
	line("labels", "%s", labelText(r.Job.Labels))
	line("machines", "%s (%d vCPUs), %s", r.Machine.Type, r.Machine.VCPUs,
		workersText(pool.NumWorkers, pool.AutoscalingSettings.Algorithm, pool.AutoscalingSettings.MaxNumWorkers))
	line("in flight", "%d units a worker", r.Machine.Window())
	line("image", "%s", pool.WorkerHarnessContainerImage)
	linkage := "static"
	if !r.Binary.Static() {
		linkage = "loads " + strings.Join(r.Binary.Libraries, ", ")
	}
	line("worker", "%s (linux/%s, %s, %s)", r.Binary.Path, r.Binary.Architecture, dataset.Bytes(r.Binary.Bytes), linkage)
	line("staged", "%s", r.WorkerURL)
	line("", "%s", r.ModelURL)
	optional := func(name, value string) {
		if value != "" {
			line(name, "%s", value)
		}
	}
	optional("account", environment.ServiceAccountEmail)
	optional("network", strings.TrimSpace(pool.Network+" "+pool.Subnetwork))
	optional("schedule", environment.FlexResourceSchedulingGoal)
	for i, t := range r.Transforms() {
		name := ""
		if i == 0 {
			name = "graph"
		}
		line(name, "%s (%s)", strings.TrimSuffix(t.Name, "]"), t.Kind) // of a generic type's name
	}
	for _, note := range r.Notes {
		line("note", "%s", note)
	}
	return b.String()
}

func labelText(labels map[string]string) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		list = append(list, key+"="+labels[key])
	}
	return strings.Join(list, " ")
}

func workersText(first int64, algorithm string, maximum int64) string {
	if algorithm == "AUTOSCALING_ALGORITHM_NONE" {
		return fmt.Sprintf("%d of them", first)
	}
	if maximum == 0 {
		return fmt.Sprintf("from %d on", first)
	}
	return fmt.Sprintf("from %d to %d", first, maximum)
}
