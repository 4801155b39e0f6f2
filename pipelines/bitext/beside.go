package bitext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"sentweave/schemas/storage"
	"sentweave/transforms/read/bitext"
	"sentweave/transforms/read/compressed"
)

// takeBeside gives aligned files of two languages what OPUS puts beside them, if it is among the
// files that are left: .ids, the documents of both texts of each line, and .scores, the score of
// each line.
func takeBeside(sources []Source, remaining []File) []File {
	for i := range sources {
		s := &sources[i]
		if s.Format != formatAligned || len(s.Languages) != 2 {
			continue
		}
		take := func(ending string) bool {
			index := slices.IndexFunc(remaining, func(f File) bool {
				rest, _ := compressed.Cut(f.path())
				return f.Input == s.Files[0].Input && rest == s.Name+ending
			})
			if index >= 0 {
				s.Files, remaining = append(s.Files, remaining[index]), slices.Delete(remaining, index, index+1)
			}
			return index >= 0
		}
		s.IDs, s.Scores = take(".ids"), take(".scores")
	}
	return remaining
}

// isAlignment says of a file that it tells which sentences of a corpus the lines of two aligned files are. OPUS has it beside them in the
// place of .ids, and nothing in it is text.
func isAlignment(name string, sources []Source) bool {
	rest, _ := compressed.Cut(name)
	return slices.ContainsFunc(sources, func(s Source) bool { return s.Format == formatAligned && rest == s.Name+".xml" })
}

// documentsOf reads a line of .ids: the documents of both texts, and which sentences of
// them they are, between tabs. It is nil for a line of another form.
func documentsOf(line []byte) []string {
	a, rest, ok := bytes.Cut(line, []byte{'\t'})
	b, _, complete := bytes.Cut(rest, []byte{'\t'})
	if !ok || !complete || !utf8.Valid(line) {
		return nil
	}
	return []string{string(a), string(b)}
}

// lookAtScores leaves out a file of scores, with a note, whose first line is not a number.
func (inputs *input) lookAtScores(ctx context.Context, s *Source) error {
	if !s.Scores {
		return nil
	}
	last := len(s.Files) - 1
	f := s.Files[last]
	folder, err := storage.Locate(inputs.folders[f.Input])
	if err != nil {
		return err
	}
	stream, err := f.open(ctx, folder, 0, f.Bytes)
	if err != nil {
		return err
	}
	defer stream.Close()
	line, _, err := bitext.NewLines(stream, true).Next()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if _, ok := bitext.ParseNumber(strings.TrimSpace(string(line)), false); !ok {
		s.Files, s.Scores = s.Files[:last], false
		inputs.notes = append(inputs.notes, fmt.Sprintf("%s is left out: its first line, %s, is not a number", f.path(),
			cellsOf([]string{string(line)})))
	}
	return nil
}
