package senteval

import (
	"bytes"
	"fmt"
	"slices"

	"sentweave/transforms/testsets/benchmark"
)

// NoTask stands for the task in faults of files that are of none.
const NoTask = "-"

// CheckShim demands the module shim, byte for byte, in a folder of FormUTF8 with a file of
// one of the tasks that SentEval reads as Latin-1: without it rows of all of these are cut.
// Present lists the folder's files.
func (w Format) CheckShim(tasks []Task, languageCode string, present []string, read ReadFile) []benchmark.Fault {
	needed := slices.ContainsFunc(tasks, func(t Task) bool {
		return t.Latin1 && slices.ContainsFunc(t.FileNames(), func(name string) bool { return slices.Contains(present, name) })
	})
	if w.Form != FormUTF8 || !needed {
		return nil
	}
	detail := "it is not the module that makes SentEval read UTF-8: `sentweave folders` writes it"
	switch data, err := read(ShimName); {
	case err != nil:
		detail = err.Error()
	case bytes.Equal(data, shim):
		return nil
	}
	return []benchmark.Fault{{Task: NoTask, Language: languageCode, File: ShimName, Row: -1, Kind: benchmark.FaultFile, Detail: detail}}
}

// Strays names the files of a folder that are of none of the tasks, nor what Guide writes.
func (w Format) Strays(tasks []Task, languageCode string, present []string) (faults []benchmark.Fault) {
	expected := map[string]bool{guideName: true, ShimName: w.Form == FormUTF8}
	for _, t := range tasks {
		for _, name := range t.FileNames() {
			expected[name] = true
		}
	}
	for _, name := range present {
		if expected[name] {
			continue
		}
		fault := benchmark.Fault{Task: NoTask, Language: languageCode, File: name, Row: -1, Kind: benchmark.FaultExtra,
			Detail: "it is of no task of SentEval"}
		for _, t := range Tasks() {
			if slices.Contains(t.FileNames(), name) {
				fault.Task, fault.Detail = t.Name, fmt.Sprintf("the source has no task %s", t.Name)
			}
		}
		faults = append(faults, fault)
	}
	return faults
}
