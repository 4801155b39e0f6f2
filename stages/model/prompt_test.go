package model

import (
	"slices"
	"strings"
	"testing"
)

const promptsJSON = `{"__version__": {"sentence_transformers": "6.2.0"}, "prompts": {"query": "a: ", "passage": "b", "empty": null}, "default_prompt_name": "query", "similarity_fn_name": "cosine"}`

func TestPrompts(t *testing.T) {
	without := strings.Replace(meanJSON, "}", `, "include_prompt": false}`, 1)
	for _, test := range []struct {
		name   string
		change files
		choose string
		prompt string
		reason string
	}{
		{"no file", files{}, "", "", ""},
		{"no prompts", files{encodingName: `{}`}, "", "", ""},
		{"none by default", files{encodingName: strings.Replace(promptsJSON, `"query", "sim`, `null, "sim`, 1)}, "", "", ""},
		{"the default one", files{encodingName: promptsJSON}, "", "a: ", ""},
		{"another", files{encodingName: promptsJSON}, "passage", "b", ""},
		{"null", files{encodingName: promptsJSON}, "empty", "", ""},
		// sentence-transformers always has these two.
		{"query, which is always there", files{encodingName: `{"default_prompt_name": "query"}`}, "", "", ""},
		{"document, which is always there", files{}, "document", "", ""},
		{"none of that name", files{encodingName: promptsJSON}, "clustering", "", `prompt "clustering": `},
		{"a default of no name", files{encodingName: `{"prompts": {"a": "b"}, "default_prompt_name": "c"}`}, "", "",
			`default_prompt_name is "c", which none of the prompts has: they are a, document, query`},
		{"a list", files{encodingName: `{"prompts": ["a"]}`}, "", "", "config_sentence_transformers.json: json: cannot unmarshal array"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := Open(sentence().with(test.change).stored(t))
			if err == nil && test.choose != "" {
				err = f.ChoosePrompt(test.choose)
			}
			wantFault(t, err, test.reason)
			if err == nil && (f.Prompt != test.prompt || f.WithoutPrompt) {
				t.Errorf("prompt %q, want %q", f.Prompt, test.prompt)
			}
		})
	}
	if f := opened(t, sentence().with(files{"1_Pooling/config.json": without})); !f.WithoutPrompt || f.Pooling != Mean {
		t.Errorf("%+v", f)
	}

	// Pieces by id: [PAD] [UNK] [CLS] [SEP] [MASK] a b ##b A 中 é e.
	for _, test := range []struct {
		prompt, text string
		want         []int32
		tokens       int // of the prompt
	}{
		{"", "a", []int32{2, 5, 3}, 0},
		{"a ", "b", []int32{2, 5, 6, 3}, 2},
		{"a", "b", []int32{2, 5, 7, 3}, 2}, // one word with the text
		{"a a a a a a a a a", "b", []int32{2, 5, 5, 5, 5, 5, 5, 5, 5, 3}, 9},
	} {
		f := opened(t, sentence())
		f.Prompt = test.prompt
		s, err := f.Sequencer()
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Append(nil, test.text); !slices.Equal(got, test.want) || s.PromptTokens() != test.tokens {
			t.Errorf("%q and %q: %v, %d tokens of the prompt; want %v, %d", test.prompt, test.text, got, s.PromptTokens(), test.want,
				test.tokens)
		}
	}
	for _, test := range []struct{ prompt, added, reason string }{
		{"[CLS] a", "", "holds the special token [CLS]"},
		{"é: ", "é", "holds the special token é"},
		{"a [X] ", "", ""},
	} {
		f := serialized()
		if test.added != "" {
			f["tokenizer.json"] = strings.Replace(tokenizerJSONText, `"added_tokens": [`, `"added_tokens": [{"id": 10, "content": "`+
				test.added+`", "special": true}, `, 1)
		}
		folder := opened(t, f)
		folder.Prompt = test.prompt
		_, err := folder.Sequencer()
		wantFault(t, err, test.reason)
	}
}

// Vectors of a folder that says so keep their first numbers, no more than there are.
func TestTruncatedVectors(t *testing.T) {
	for text, want := range map[string]struct {
		size int
		err  string
	}{
		`{}`: {8, ""}, `{"truncate_dim": null}`: {8, ""}, `{"truncate_dim": 3}`: {3, ""}, `{"truncate_dim": 300}`: {8, ""},
		`{"truncate_dim": 0}`:   {0, "config_sentence_transformers.json: truncate_dim is 0, it must be at least 1, or null"},
		`{"truncate_dim": -1}`:  {0, "truncate_dim is -1"},
		`{"truncate_dim": 2.5}`: {0, "cannot unmarshal number 2.5"},
	} {
		f, err := Open(sentence().with(files{encodingName: text}).stored(t))
		if want.err != "" {
			if err == nil || !strings.Contains(err.Error(), want.err) {
				t.Errorf("%s: %v, want %q", text, err, want.err)
			}
		} else if err != nil || f.Dimension() != want.size {
			t.Errorf("%s: %d numbers, want %d, %v", text, f.Dimension(), want.size, err)
		}
	}
}
