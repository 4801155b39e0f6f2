package dataflow

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"

	"sentweave/schemas/jsonfile"
)

// locationFields are the names of fields, in the tasks of all pipelines, that name a
// file or a folder.
var locationFields = []string{"location", "output", "input", "folder", "root"}

// checkLocations returns an error if a task that travels to the workers names a file
// or folder of this machine: it would fail there, minutes later.
func checkLocations(edges []*graph.MultiEdge) error {
	for _, edge := range edges {
		if edge.DoFn == nil || edge.DoFn.Recv == nil {
			continue
		}
		data, err := json.Marshal(edge.DoFn.Recv)
		if err != nil {
			return fmt.Errorf("encode the task %s: %w", edge.DoFn.Name(), err)
		}
		var task any
		if err := jsonfile.Unmarshal(data, &task); err != nil {
			return fmt.Errorf("encode the task %s: %w", edge.DoFn.Name(), err)
		}
		if local := findLocal(task, ""); local != "" {
			return fmt.Errorf("the job reads %s on this machine, where workers cannot: copy it to a bucket (`gcloud storage cp -r`) and give its gs:// location",
				local)
		}
	}
	return nil
}

// findLocal returns the first location on this machine in a field that names a location.
func findLocal(value any, field string) string {
	switch value := value.(type) {
	case string:
		here := filepath.IsAbs(value) || strings.HasPrefix(value, "http://") // which is of this machine alone
		if here && slices.Contains(locationFields, strings.ToLower(field)) {
			return value
		}
	case []any:
		for _, v := range value {
			if local := findLocal(v, field); local != "" {
				return local
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if local := findLocal(value[key], key); local != "" {
				return local
			}
		}
	}
	return ""
}
