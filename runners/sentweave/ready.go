package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/stages/vocab"
)

// ready says before a verb does anything which of its inputs are not there, or are of
// another kind.
func ready(ctx context.Context, verb string, args []string, inputs, outputs []command.Input) error {
	verb, _, _ = strings.Cut(verb, " <")
	if slices.ContainsFunc(args, func(a string) bool { return a == "--print-config" || strings.HasPrefix(a, "--paths-bytes") }) {
		return nil // these read nothing
	}
	var errs fault.List
	for _, output := range outputs {
		if err := outputFault(ctx, output); err != nil {
			return command.Usage(err)
		}
	}
	if onLibtorch(verb) {
		errs.Add(torchFault())
	}
	for _, input := range inputs {
		errs.Add(inputFault(ctx, verb, input))
	}
	return errs.Err()
}

// hubName is the form of OWNER/NAME, as models are called on the Hugging Face Hub.
var hubName = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$`)

func inputFault(ctx context.Context, words string, input command.Input) error {
	kinds := input.Takes
	info, err := os.Stat(input.Location)
	if errors.Is(err, fs.ErrNotExist) {
		if v, _ := verb.Of(allVerbs, words); v.Absent != nil {
			if way := v.Absent(input.Flag, input.Location); way != nil {
				return fmt.Errorf("--%s: %s does not exist; %w", input.Flag, input.Location, way)
			}
		}
		if slices.Contains(kinds, "encoder") && hubName.MatchString(input.Location) {
			return fmt.Errorf("--%s: %s does not exist; if that is the name of a model on the Hugging Face Hub, `hf download %s --local-dir %s` of the Python package huggingface_hub fetches it: encoders are opened from folders alone, on this machine or in gs://",
				input.Flag, input.Location, input.Location, path.Base(input.Location))
		}
		return fmt.Errorf("--%s: %s does not exist%s", input.Flag, input.Location, wayTo(input.Flag, kinds))
	}
	if err != nil {
		return fmt.Errorf("--%s: %w", input.Flag, err)
	}
	if input.Folder && !info.IsDir() && input.Flag != "wordnet" { // which may be a table
		return fmt.Errorf("--%s: %s is a file, and a folder is wanted; %s is the one that it lies in", input.Flag, input.Location,
			filepath.Dir(input.Location))
	}
	if file := filepath.Join(input.Location, "data.noun"); input.Flag == "wordnet" && info.IsDir() && !isFile(file) {
		return fmt.Errorf("--wordnet: %s has no data.noun, one of the files of Princeton's WordNet%s", input.Location,
			wayTo(input.Flag, kinds))
	}
	if len(kinds) == 0 || !info.IsDir() {
		return nil
	}
	if file := filepath.Join(input.Location, vocab.FileName); input.Flag == "vocabulary" {
		return fmt.Errorf("--%s: %s is a folder; give the file, as in %s", input.Flag, input.Location, file)
	}
	kind := kindAt(ctx, input.Location)
	switch {
	case kind == "" || slices.Contains(kinds, kind) || slices.Contains(kinds, "folder"):
		return nil
	case kind == "vocabulary" && slices.Contains(kinds, "encoder"): // which has one, too
		return nil
	}
	return fmt.Errorf("--%s: %s holds %s, not %s%s", input.Flag, input.Location, plural(kind), plural(kinds...), wayTo(input.Flag, kinds))
}

// wayTo says how what a flag takes is made or fetched.
func wayTo(flag string, kinds []string) string {
	var verbs []string
	for _, kind := range kinds {
		if i := slices.IndexFunc(allVerbs, func(v verb.Verb) bool { return v.Makes.Rows == kind && !v.Makes.Rarely }); i >= 0 {
			verbs = append(verbs, "`sentweave "+allVerbs[i].Name+"`")
		}
	}
	switch {
	case flag == "langid":
		file, err := installedLangid()
		if err != nil {
			return "; " + err.Error()
		}
		return fmt.Sprintf("; there is %s, which `sentweave doctor --install langid` has fetched", file)
	case flag == "wordnet":
		return "; Debian's package wordnet-base has it in /usr/share/wordnet"
	case len(verbs) == 0:
		return ""
	}
	return "; " + strings.Join(verbs, " or ") + " makes " + plural(kinds...)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// marked are the outputs that are no datasets, each by its mark. A folder is of the first that fits.
func marked() (list []verb.Output) {
	for _, v := range allVerbs {
		if v.Makes.Mark == "" || slices.ContainsFunc(list, func(o verb.Output) bool { return o.Mark == v.Makes.Mark }) {
			continue
		}
		if v.Makes.Copies {
			list = slices.Insert(list, 0, v.Makes)
		} else {
			list = append(list, v.Makes)
		}
	}
	return list
}

// kindAt says what a folder on this machine holds, or "".
func kindAt(ctx context.Context, location string) string {
	folder, err := storage.At(location)
	if err != nil {
		return ""
	}
	if holdsDataset(ctx, folder) {
		m, err := dataset.Load(ctx, folder)
		if err != nil { // which the verb says in more words
			return ""
		}
		return m.Plan.Schema
	}
	for _, m := range marked() {
		if _, err := os.Stat(filepath.Join(location, m.Mark)); err == nil {
			return m.Rows
		}
	}
	return ""
}

// holdsDataset says whether a folder holds a dataset or the plan of one, whatever lies beside it.
func holdsDataset(ctx context.Context, folder storage.Folder) bool {
	if _, err := folder.Stat(ctx, dataset.ManifestName); err == nil {
		return true
	}
	_, err := dataset.LoadPlan(ctx, folder)
	return err == nil || errors.Is(err, dataset.ErrOtherPlan) || errors.Is(err, dataset.ErrCorrupt)
}

// article lists nouns: an example or a pair.
func article(nouns ...string) string {
	var list []string
	for _, n := range nouns {
		if strings.ContainsRune("aeiou", rune(n[0])) {
			list = append(list, "an "+n)
		} else {
			list = append(list, "a "+n)
		}
	}
	return strings.Join(list, " or ")
}

// plural lists what folders of several kinds hold: examples or an encoder.
func plural(kinds ...string) string {
	var list []string
	for _, kind := range kinds {
		switch kind {
		case "vocabulary", "encoder", "page", "validation", "recipe":
			list = append(list, article(kind))
		default:
			list = append(list, kind+"s")
		}
	}
	return strings.Join(list, " or ")
}
