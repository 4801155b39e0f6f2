package google

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"

	"sentweave/transforms/engines"
)

// The files of a batch are tables by RFC 4180, with tabs between the columns of
// texts and commas in the index: a field with a tab, a quote or a line break stands
// in quotes. So each text goes as it is, line breaks and all.

// tabs are how columns of texts are told apart, index those of the index.
const (
	tabs   = '\t'
	commas = ','
)

// encode returns the file of a batch: the place of each text, and the text.
func encode(texts []string) ([]byte, error) {
	var file bytes.Buffer
	w := csv.NewWriter(&file)
	w.Comma = tabs
	for i, text := range texts {
		// The file must be UTF-8 from end to end, or all of it is lost.
		if err := w.Write([]string{strconv.Itoa(i), strings.ToValidUTF8(text, "\ufffd")}); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return file.Bytes(), w.Error()
}

// rows calls f for each row of a table, whose fields are f's for the call.
func rows(r io.Reader, separator rune, f func(fields []string) error) error {
	table := csv.NewReader(bufio.NewReaderSize(r, 1<<20))
	// Lazy: a quote where the standard wants none damages one row, which is found by its
	// text, and not all that come after it.
	table.Comma, table.FieldsPerRecord, table.ReuseRecord, table.LazyQuotes = separator, -1, true, true
	for {
		fields, err := table.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f(fields)
		}
		if err != nil {
			return err
		}
	}
}

// outputs are the files with the answers of a batch.
type outputs struct{ translations, errors []string }

// readIndex reads index.csv: the files that have the answers for an input into a
// language. There are none before the input is wholly done: the service adds the
// row then, and does not change it.
func readIndex(r io.Reader, input, target string) (files outputs, complete bool, err error) {
	err = rows(r, commas, func(fields []string) error {
		if len(fields) < 4 || path.Base(fields[0]) != input || !strings.EqualFold(fields[1], target) {
			return nil
		}
		complete = true
		if fields[2] != "" {
			files.translations = append(files.translations, fields[2])
		}
		if fields[3] != "" {
			files.errors = append(files.errors, fields[3])
		}
		return nil
	})
	return files, complete, err
}

// answered gathers the answers of a batch from the rows of its output.
type answered struct {
	texts    []string
	glossary bool
	answers  []engines.Answer
	seen     []bool
	empty    []bool // texts whose translation is empty, which is so where there is an error
	n        int    // texts with a translation
}

func newAnswered(texts []string, glossary bool) *answered {
	return &answered{texts: texts, glossary: glossary, answers: make([]engines.Answer, len(texts)), seen: make([]bool, len(texts)),
		empty: make([]bool, len(texts))}
}

// column returns a field of a row, or that which belongs to the glossary.
func (a *answered) column(fields []string) string {
	index := 2
	if a.glossary {
		index = 3
	}
	if index < len(fields) {
		return fields[index]
	}
	return ""
}

// place returns which text a row is of; false for none, or for another text under
// its number.
func (a *answered) place(fields []string) (int, bool) {
	if len(fields) < 3 {
		return 0, false
	}
	i, err := strconv.Atoi(fields[0])
	if err != nil || i < 0 || i >= len(a.texts) || !sameText(fields[1], a.texts[i]) {
		return 0, false
	}
	return i, true
}

// sameText compares a text with how the service repeats it, but for white space: line
// breaks of files are not kept as they are.
func sameText(said, text string) bool {
	text = strings.ToValidUTF8(text, "\ufffd")
	return said == text || strings.Join(strings.Fields(said), " ") == strings.Join(strings.Fields(text), " ")
}

// put takes an answer; another than the first makes both worthless.
func (a *answered) put(i int, answer engines.Answer) {
	switch {
	case !a.seen[i]:
		a.answers[i], a.seen[i] = answer, true
		if answer.Err == nil {
			a.n++
		}
	case a.answers[i].Err == nil && (answer.Err != nil || answer.Text != a.answers[i].Text):
		a.answers[i] = engines.Answer{Err: engines.Faultf(engines.Malformed, "the text has two answers")}
		a.n--
	}
}

// translation takes a row of a file of translations.
func (a *answered) translation(fields []string) error {
	if i, ok := a.place(fields); ok {
		if text := a.column(fields); text != "" {
			a.put(i, engines.Answer{Text: strings.Clone(text)}) // a field keeps its row alive
		} else {
			a.empty[i] = true
		}
	}
	return nil
}

// passing finds errors that are not the text's.
var passing = regexp.MustCompile(`(?i)resource.?exhausted|quota|rate.?limit|unavailable|internal|deadline|timed? ?out|aborted`)

// failure takes a row of a file of errors. With a glossary an error may be that of
// the translation without it.
func (a *answered) failure(fields []string) error {
	i, ok := a.place(fields)
	if !ok {
		return nil
	}
	detail := a.column(fields)
	if detail == "" {
		detail = fields[2]
	}
	if detail == "" {
		detail = "no reason is told"
	}
	kind := engines.Refused
	if passing.MatchString(detail) {
		kind = engines.Failed
	}
	a.put(i, engines.Answer{Err: &engines.Fault{Kind: kind, Unbilled: true, Err: fmt.Errorf("translate a row of a batch: %.200s", detail)}})
	return nil
}

// all returns the answers. A text that no row has is asked for again by whoever
// wants it.
func (a *answered) all() []engines.Answer {
	for i, exists := range a.seen {
		if !exists && !a.empty[i] {
			a.answers[i] = engines.Answer{Err: engines.Faultf(engines.Malformed, "the batch has no answer for the text")}
		}
	}
	return a.answers
}
