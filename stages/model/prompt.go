package model

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"sentweave/transforms/tokens/wordpiece"
)

// promptsName is the file of sentence-transformers that has the prompts.
const promptsName = "config_sentence_transformers.json"

// readPrompts returns the texts that may be put before those that are encoded, by name,
// and the name of the one that is if none is chosen; empty for none. Without the file
// there are the two that sentence-transformers always has, which are empty.
func (f *Folder) readPrompts() (prompts map[string]string, usual string, err error) {
	var j struct {
		Prompts map[string]*string `json:"prompts"`
		Usual   *string            `json:"default_prompt_name"`
	}
	if err := f.read(promptsName, &j); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	prompts = map[string]string{"query": "", "document": ""}
	for name, text := range j.Prompts {
		prompts[name] = ""
		if text != nil {
			prompts[name] = *text
		}
	}
	if j.Usual != nil {
		usual = *j.Usual
	}
	if _, ok := prompts[usual]; usual != "" && !ok {
		return nil, "", fmt.Errorf("%s: default_prompt_name is %q, which none of the prompts has: they are %s", filepath.Join(f.Path, promptsName), usual, promptNames(prompts))
	}
	return prompts, usual, nil
}

func promptNames(prompts map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(prompts)), ", ")
}

// ChoosePrompt sets the prompt to the one of a name.
func (f *Folder) ChoosePrompt(name string) error {
	prompts, _, err := f.readPrompts()
	if err != nil {
		return err
	}
	text, ok := prompts[name]
	if !ok {
		return fmt.Errorf("prompt %q: %s has the prompts %s", name, f.Path, promptNames(prompts))
	}
	f.Prompt = text
	return nil
}

// checkPrompt returns an error for a prompt that sentence-transformers takes for more
// than text.
func (f *Folder) checkPrompt(v *wordpiece.Vocabulary) error {
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
			return fmt.Errorf("the prompt %q of %s holds the special token %s, which is not supported: here it would be text; give --no-prompt, or choose another by --prompt", f.Prompt, f.Path, name)
		}
	}
	return nil
}
