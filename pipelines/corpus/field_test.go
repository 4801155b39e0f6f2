package corpus

import (
	"path/filepath"
	"strings"
	"testing"

	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/units"
)

// A field that no record has at the beginnings of the files is told before any work, with those that are there.
func TestRecordFields(t *testing.T) {
	const right = `{"text": "The text."}` + "\n"
	const wrong = `{"body": {"html": "<p>", "plain": "The text."}, "n": 1, "title": "Title", "url": "u"}` + "\n"
	many := strings.Repeat(wrong, lookedRecords)
	for name, test := range map[string]struct {
		files map[string]string
		flags []string
		want  string // "" for no error
	}{
		"the right one": {map[string]string{"a.jsonl": right}, nil, ""},
		"a wrong one": {map[string]string{"a.jsonl": wrong}, nil,
			`no record at the beginning of a.jsonl has the field "text": --text-field=NAME names the field of the text; there are body.html, body.plain, title, url`},
		"in several files, compressed": {map[string]string{"a.jsonl.gz": string(gzipped(t, wrong)), "b.jsonl": `{"t": "x"}`}, nil,
			"at the beginning of a.jsonl.gz and 1 more has the field"},
		"no text at all":       {map[string]string{"a.jsonl": `{"n": 1}`}, nil, "there is none of text"},
		"one within an object": {map[string]string{"a.jsonl": wrong}, []string{"--text-field=body.plain"}, ""},
		"one that is no text":  {map[string]string{"a.jsonl": wrong}, []string{"--text-field=n"}, ""}, // rejected for that
		"in a later file":      {map[string]string{"a.jsonl": wrong, "b.jsonl": right}, nil, ""},
		"in a later record":    {map[string]string{"a.jsonl": wrong + right}, nil, ""},
		"late, with a limit":   {map[string]string{"a.jsonl": many + right}, []string{"--limit=1"}, "no record at the beginning"},
		"behind damage":        {map[string]string{"a.jsonl": "{\n\n" + wrong}, nil, "no record at the beginning"},
		"damage alone":         {map[string]string{"a.jsonl": "{\n{\n", "b.jsonl.gz": "no gzip"}, nil, ""},
		"lines that returns end": {map[string]string{"a.jsonl": strings.ReplaceAll(right+right, "\n", "\r")}, nil,
			"read a.jsonl: its lines end with only a carriage return"},
		"returns within one object": {map[string]string{"a.jsonl": "{\r\"text\":\r\"The text.\"\r}"}, nil, ""},
		"in no part that is taken":  {map[string]string{"a.jsonl": right}, []string{"--sample=0.000001"}, ""},
		"beside pages":              {map[string]string{"a.html": "<p>A page.", "a.jsonl": wrong}, nil, ""},
		"a wrong one beside pages": {map[string]string{"a.html": "<p>A page.", "a.jsonl": wrong}, []string{"--text-field=content"},
			`no record at the beginning of a.jsonl has the field "content": --text-field=NAME names the field of the text; there are body.html`},
		"an address": {map[string]string{"a.jsonl": right}, []string{"--url-field=link"},
			`no record at the beginning of a.jsonl has the field "link": --url-field=NAME names the field of the address; there are text`},
		"an address beside pages": {map[string]string{"a.html": "<p>A page.", "a.jsonl": wrong}, []string{"--url-field=link"},
			`has the field "link": --url-field=NAME names the field of the address; there are body.html, body.plain, n, title, url`},
		"three at once": {map[string]string{"a.jsonl": wrong}, []string{"--date-field=day", "--language-field=lang"},
			`has the field "text" or "day" or "lang": --text-field=NAME names the field of the text, --date-field=NAME names the field of the date, --language-field=NAME names the field of the language; there are body.html, body.plain, n, title, url`},
		"in different records": {map[string]string{"a.jsonl": right + `{"link": 1}` + "\n", "b.jsonl": `{"day": null}`},
			[]string{"--url-field=link", "--date-field=day"}, ""},
		"a number":      {map[string]string{"a.jsonl": `{"text": "The text.", "n": 1}`}, []string{"--date-field=n"}, ""},
		"the usual one": {map[string]string{"a.jsonl": right}, []string{"--url-field=url", "--date-field="}, ""},
		"pages alone":   {map[string]string{"a.html": "<p>A page."}, []string{"--text-field=none"}, ""},
	} {
		folder := t.TempDir()
		for file, text := range test.files {
			pipelinetest.File(t, folder, file, text)
		}
		c := pipelinetest.Parse[Config](t, append([]string{"--input=" + folder}, test.flags...)...)
		out := filepath.Join(t.TempDir(), "out")
		job, planned := c.Plan(t.Context(), out, units.Settings{})
		looked := c.Look(t.Context(), out)
		if text := ""; planned != nil || looked != nil {
			if planned != nil {
				text = planned.Error()
			}
			if test.want == "" || !strings.Contains(text, test.want) || looked == nil || looked.Error() != text {
				t.Errorf("%s: %v, %v, want %q", name, planned, looked, test.want)
			}
		} else if test.want != "" {
			t.Errorf("%s: no error, want %q", name, test.want)
		} else if noted := strings.Contains(strings.Join(job.Notes, "\n"), `has the field "text"`); noted != (name == "beside pages") {
			t.Errorf("%s: notes %q", name, job.Notes)
		}
	}
}
