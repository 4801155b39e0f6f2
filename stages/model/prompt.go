package model

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"sentweave/transforms/tokens"
)

// encodingName is the file of sentence-transformers that says how texts are encoded.
const encodingName = "config_sentence_transformers.json"

// encoding is its content.
type encoding struct {
	// prompts are the texts that may be put before those that are encoded, by name, and usual
	// is the name of the one that is if none is chosen; empty for none.
	prompts map[string]string
	usual   string
	// truncate is how many numbers of a vector are kept, 0 for all.
	truncate int
}

// readEncoding reads it. Without the file there are the two prompts that
// sentence-transformers always has, which are empty.
func (f *Folder) readEncoding() (e encoding, err error) {
	var j struct {
		Prompts  map[string]*string `json:"prompts"`
		Usual    *string            `json:"default_prompt_name"`
		Truncate *int               `json:"truncate_dim"`
	}
	if err := f.read(encodingName, &j); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return e, err
	}
	e.prompts = map[string]string{"query": "", "document": ""}
	for name, text := range j.Prompts {
		e.prompts[name] = ""
		if text != nil {
			e.prompts[name] = *text
		}
	}
	if j.Usual != nil {
		e.usual = *j.Usual
	}
	if _, ok := e.prompts[e.usual]; e.usual != "" && !ok {
		return e, fmt.Errorf("%s: default_prompt_name is %q, which none of the prompts has: they are %s",
			filepath.Join(f.Path, encodingName), e.usual, promptNames(e.prompts))
	}
	if j.Truncate != nil {
		if e.truncate = *j.Truncate; e.truncate < 1 {
			return e, fmt.Errorf("%s: truncate_dim is %d, it must be at least 1, or null", filepath.Join(f.Path, encodingName), e.truncate)
		}
	}
	return e, nil
}

func promptNames(prompts map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(prompts)), ", ")
}

// ChoosePrompt sets the prompt to the one of a name.
func (f *Folder) ChoosePrompt(name string) error {
	e, err := f.readEncoding()
	if err != nil {
		return err
	}
	text, ok := e.prompts[name]
	if !ok {
		return fmt.Errorf("prompt %q: %s has the prompts %s", name, f.Path, promptNames(e.prompts))
	}
	f.Prompt = text
	return nil
}

// CheckPrompt returns an error if the folder of an encoder is on this machine and has prompts, but none of this name.
func CheckPrompt(location, name string) error {
	if name == "" {
		return nil
	}
	f, err := Open(location)
	if err != nil { // nothing is there yet, or whoever opens it says what is wrong
		return nil
	}
	return f.ChoosePrompt(name)
}

// Prompted returns sequencers that put a prompt before texts, by the names of the prompts, and share all else with a sequencer of the
// folder. Prompts that hold special tokens are left out.
func (f *Folder) Prompted(s *Sequencer) (map[string]*Sequencer, error) {
	e, err := f.readEncoding()
	if err != nil {
		return nil, err
	}
	v, err := f.Vocabulary()
	if err != nil {
		return nil, err
	}
	list := map[string]*Sequencer{}
	for name, text := range e.prompts {
		own := *f
		own.Prompt = text
		if own.checkPrompt(v) == nil {
			list[name] = s.withPrompt(text)
		}
	}
	return list, nil
}

// checkPrompt returns an error for a prompt that sentence-transformers takes for more
// than text.
func (f *Folder) checkPrompt(v tokens.Vocabulary) error {
	if f.Prompt == "" {
		return nil
	}
	special := v.SpecialTokens().Names()
	if s, err := f.serialized(); err != nil {
		return err
	} else if s != nil {
		special = append(special, s.Added()...)
	}
	for _, name := range special {
		if strings.Contains(f.Prompt, name) {
			return fmt.Errorf("the prompt %q of %s holds the special token %s, which is not supported: here it would be text; give --no-prompt, or choose another by --prompt",
				f.Prompt, f.Path, name)
		}
	}
	return nil
}
