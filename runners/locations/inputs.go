package locations

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
	"sentweave/schemas/storage"
	"sentweave/transforms/tokens/formats"
)

// hubName is the form of OWNER/NAME, as models are called on the Hugging Face Hub.
var hubName = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$`)

// InputFault says why a verb cannot read what a flag names: what is not there, or is of another kind, with the way to have it.
// The verb is found by its words in the list.
func InputFault(ctx context.Context, verbs []verb.Verb, words string, input command.Input) error {
	kinds, makers := input.Takes, verbs
	if v, ok := verb.Find(verbs, words); ok && input.Flag == "extend" { // which names what the verb itself has made
		makers = []verb.Verb{v}
	}
	info, err := os.Stat(input.Location)
	if errors.Is(err, fs.ErrNotExist) {
		if v, _ := verb.Find(verbs, words); v.Absent != nil {
			if way := v.Absent(input.Flag, input.Location); way != nil {
				return fmt.Errorf("--%s: %s does not exist; %w", input.Flag, input.Location, way)
			}
		}
		if slices.Contains(kinds, "encoder") && hubName.MatchString(input.Location) {
			return fmt.Errorf("--%s: %s does not exist; if that is the name of a model on the Hugging Face Hub, `hf download %s --local-dir %s` of the Python package huggingface_hub fetches it: encoders are opened only from folders, on this machine or in gs://",
				input.Flag, input.Location, input.Location, path.Base(input.Location))
		}
		return fmt.Errorf("--%s: %s does not exist%s", input.Flag, input.Location, wayTo(makers, input.Flag, kinds))
	}
	if err != nil {
		return fmt.Errorf("--%s: %w", input.Flag, err)
	}
	if input.Folder && !info.IsDir() && input.Flag != "wordnet" { // which may be a table
		if !info.Mode().IsRegular() {
			return fmt.Errorf("--%s: %s is a device, a pipe or a socket, and a folder is wanted", input.Flag, input.Location)
		}
		return fmt.Errorf("--%s: %s is a file, and a folder is wanted; %s is the one that it lies in", input.Flag, input.Location,
			filepath.Dir(input.Location))
	}
	if file := filepath.Join(input.Location, "data.noun"); input.Flag == "wordnet" && info.IsDir() && !IsFile(file) {
		return fmt.Errorf("--wordnet: %s has no data.noun, one of the files of Princeton's WordNet%s", input.Location,
			wayTo(verbs, input.Flag, kinds))
	}
	if len(kinds) == 0 || !info.IsDir() {
		return nil
	}
	if input.Flag == "vocabulary" {
		if formats.Locate(ctx, input.Location) != input.Location {
			return nil
		}
		return fmt.Errorf("--%s: %s is a folder without a vocabulary: it has none of %s", input.Flag, input.Location,
			strings.Join(formats.Names(), ", "))
	}
	kind := KindAt(ctx, verbs, input.Location)
	switch {
	case kind == "" || slices.Contains(kinds, kind) || slices.Contains(kinds, "folder"):
		return nil
	case kind == "vocabulary" && slices.Contains(kinds, "encoder"): // which has one, too
		return nil
	}
	return fmt.Errorf("--%s: %s holds %s, not %s%s", input.Flag, input.Location, Plural(kind), Plural(kinds...),
		wayTo(makers, input.Flag, kinds))
}

// wayTo says how what a flag takes is made or fetched.
func wayTo(verbs []verb.Verb, flag string, kinds []string) string {
	var makers []string
	for _, kind := range kinds {
		if i := slices.IndexFunc(verbs, func(v verb.Verb) bool { return v.Makes.Rows == kind && !v.Makes.Rarely }); i >= 0 {
			makers = append(makers, "`sentweave "+verbs[i].Name+"`")
		}
	}
	switch {
	case flag == "langid":
		file, err := Langid()
		if err != nil {
			return "; embedded takes the model of the program, and " + err.Error()
		}
		return fmt.Sprintf("; embedded takes the model of the program, and there is %s, which `sentweave doctor --install langid` has fetched", file)
	case flag == "wordnet":
		return "; Debian's package wordnet-base has it in /usr/share/wordnet"
	case len(makers) == 0:
		return ""
	}
	return "; " + strings.Join(makers, " or ") + " makes " + Plural(kinds...)
}

// IsFile says whether a path is that of a regular file.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Marked are the outputs that are not datasets, each by its mark. A folder is of the first that fits.
func Marked(verbs []verb.Verb) (list []verb.Output) {
	for _, v := range verbs {
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

// KindAt says what a folder on this machine holds, or "".
func KindAt(ctx context.Context, verbs []verb.Verb, location string) string {
	folder, err := storage.Locate(location)
	if err != nil {
		return ""
	}
	if HoldsDataset(ctx, folder) {
		m, err := dataset.Load(ctx, folder)
		if err != nil { // which the verb says in more words
			return ""
		}
		return m.Plan.Schema
	}
	for _, m := range Marked(verbs) {
		if _, err := os.Stat(filepath.Join(location, m.Mark)); err == nil {
			return m.Rows
		}
	}
	return ""
}

// HoldsDataset says whether a folder holds a dataset or the plan of one, whatever lies beside it.
func HoldsDataset(ctx context.Context, folder storage.Folder) bool {
	if _, err := folder.Stat(ctx, dataset.ManifestName); err == nil {
		return true
	}
	_, err := dataset.LoadPlan(ctx, folder)
	return err == nil || errors.Is(err, dataset.ErrOtherPlan) || errors.Is(err, dataset.ErrCorrupt)
}

// Article lists nouns: an example or a pair.
func Article(nouns ...string) string {
	var list []string
	for _, n := range nouns {
		n = spoken(n)
		if strings.ContainsRune("aeiou", rune(n[0])) {
			list = append(list, "an "+n)
		} else {
			list = append(list, "a "+n)
		}
	}
	return strings.Join(list, " or ")
}

// Plural lists what folders of several kinds hold: examples or an encoder.
func Plural(kinds ...string) string {
	var list []string
	for _, kind := range kinds {
		switch kind {
		case "vocabulary", "encoder", "page", "validation", "recipe":
			list = append(list, Article(kind))
		default:
			list = append(list, spoken(kind)+"s")
		}
	}
	return strings.Join(list, " or ")
}

// spoken is what a schema is called in messages.
func spoken(kind string) string {
	for _, second := range []string{"list", "count", "score"} {
		if first, ok := strings.CutSuffix(kind, second); ok && first != "" {
			return first + " " + second
		}
	}
	return kind
}
