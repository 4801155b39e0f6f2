package senteval

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/encoding/charmap"

	"sentweave/schemas"
	"sentweave/transforms/testsets/benchmark"
)

// headers are the first lines of files that have one.
var headers = map[kind]string{
	kindMRPC: "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String",
	kindSICK: "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment",
}

// judgment is what SICK's later form calls the column of labels.
const judgment = "entailment_label"

// readHeader finds the columns of a file by its first line, in the order of those of
// headers; false if it is not the task's. SentEval drops the first line, whatever it is,
// and so would lose a row where somebody has cut the header off. The later form of SICK
// has twelve columns, the labels before the scores.
func (p *parser) readHeader(line string) bool {
	want, got := strings.Split(headers[p.task.kind], "\t"), strings.Split(strings.TrimRight(line, "\r\n\t "), "\t")
	if len(got) == len(want) && strings.EqualFold(strings.TrimSpace(got[0]), want[0]) {
		return true
	}
	if p.task.kind != kindSICK || p.source.Strict || len(got) < len(want) {
		return false
	}
	p.width = len(got)
	for _, name := range want {
		index := slices.IndexFunc(got, func(column string) bool {
			column = strings.TrimSpace(column)
			return column == name || column == judgment && name == want[len(want)-1]
		})
		if index < 0 {
			return false
		}
		p.columns = append(p.columns, index)
	}
	return true
}

// parse fills a row from its line and the lines of the other files.
func (p parser) parse(row *schemas.Benchmark, line string, companions [2]string) (reason, detail string) {
	if p.source.Strict && p.task.strips() {
		line = strings.TrimSpace(line)
	}
	fields := strings.Split(line, "\t")
	want := map[kind]int{kindSST2: 2, kindMRPC: 5, kindSICK: 5, kindSTSB: 7, kindSTS: 2}[p.task.kind]
	// English lines of STS-B go on with the sources of the texts.
	open := p.task.kind == kindSTSB && p.source.english()
	if len(p.columns) > 0 {
		want = p.width
	}
	if len(fields) < want || len(fields) > want && want > 0 && !open {
		return benchmark.ReasonFields, fmt.Sprintf("%d fields between tabs, want %d", len(fields), want)
	}
	if len(p.columns) > 0 {
		original := fields
		fields = nil
		for _, index := range p.columns {
			fields = append(fields, original[index])
		}
	}
	switch p.task.kind {
	case kindLines:
		row.TextA = line
		return p.label(row, p.file.label)
	case kindSST2:
		row.TextA = fields[0]
		return p.label(row, strings.TrimSpace(fields[1]))
	case kindSST5:
		label, text, ok := strings.Cut(line, " ")
		if !ok {
			return benchmark.ReasonFields, "no space after the label"
		}
		row.TextA = text
		return p.label(row, label)
	case kindTREC:
		label, text, _ := strings.Cut(line, " ")
		if !strings.Contains(label, ":") {
			return benchmark.ReasonFields, "no CLASS:subclass before the first space"
		}
		row.TextA = text
		return p.label(row, label)
	case kindMRPC:
		row.KeyA, row.KeyB, row.TextA, row.TextB = strings.TrimSpace(fields[1]), strings.TrimSpace(fields[2]), fields[3], fields[4]
		return p.label(row, strings.TrimSpace(fields[0]))
	case kindSICK:
		row.KeyA, row.TextA, row.TextB = strings.TrimSpace(fields[0]), fields[1], fields[2]
		if reason, detail := p.score(row, fields[3]); reason != "" {
			return reason, detail
		}
		label := fields[4]
		if p.source.Strict && label != strings.ToUpper(label) {
			return p.noLabel(label)
		}
		return p.label(row, strings.ToLower(p.trim(label)))
	case kindSTSB:
		row.TextA, row.TextB = fields[5], fields[6]
		return p.score(row, fields[4])
	case kindSTS:
		row.TextA, row.TextB = fields[0], fields[1]
		// Pairs that nobody judged have an empty line for a score.
		if p.trim(companions[0]) == "" {
			row.Skip = true
			return "", ""
		}
		return p.score(row, companions[0])
	default:
		row.TextA, row.TextB = line, companions[0]
		if label := p.trim(companions[1]); label != "-" {
			return p.label(row, label)
		}
		row.Skip = true
		return "", ""
	}
}

func (p parser) label(row *schemas.Benchmark, label string) (reason, detail string) {
	if _, ok := p.task.Class(label); !ok || !isPlain(label) {
		return p.noLabel(label)
	}
	row.Label = label
	return "", ""
}

func (p parser) noLabel(label string) (reason, detail string) {
	return benchmark.ReasonLabel, fmt.Sprintf("label %q is not one of %q", label, p.task.Classes)
}

// trim takes off white space that SentEval's loaders do not.
func (p parser) trim(field string) string {
	if p.source.Strict {
		return field
	}
	return strings.TrimSpace(field)
}

// isPlain: the subclass of TREC could be anything, but must survive as one word.
func isPlain(label string) bool {
	return !strings.ContainsFunc(label, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '&' })
}

func (p parser) score(row *schemas.Benchmark, text string) (reason, detail string) {
	if p.source.Strict && strings.Trim(strings.TrimSpace(text), "+-.0123456789eE") != "" {
		return benchmark.ReasonScore, fmt.Sprintf("score %q is not a decimal number", text)
	}
	x, err := benchmark.Score(text, p.task.Low, p.task.High)
	if err != nil {
		return benchmark.ReasonScore, err.Error()
	}
	row.Target = &x
	return "", ""
}

// undoCatV restores characters that get_transfer_data.bash spoils: it pipes MR, CR,
// SUBJ and MPQA through cat -v, which writes the byte E9 of "cliché" as "M-i" and the
// byte 85 of an ellipsis as "M-^E". The bytes are Windows-1252. These texts are
// lower-cased, so that no "M-" is their own; a text with another capital is left alone.
func undoCatV(text string) string {
	const mark = "M-"
	parts := strings.Split(text, mark)
	if len(parts) == 1 || strings.ContainsFunc(parts[0], unicode.IsUpper) {
		return text
	}
	var b strings.Builder
	b.WriteString(parts[0])
	for _, part := range parts[1:] {
		r, size := catV(part)
		if size == 0 {
			b.WriteString(mark)
		} else {
			b.WriteRune(r)
		}
		if strings.ContainsFunc(part[size:], unicode.IsUpper) {
			return text
		}
		b.WriteString(part[size:])
	}
	return b.String()
}

// catV reads what cat -v wrote after "M-": the character, and its number of bytes, 0
// where there is none. "^E" is the byte 85, "^?" is FF.
func catV(rest string) (r rune, size int) {
	switch {
	case len(rest) > 1 && rest[0] == '^' && (rest[1] >= '@' && rest[1] <= '_' || rest[1] == '?'):
		return charmap.Windows1252.DecodeByte(rest[1] ^ 0x40 | 0x80), 2
	case len(rest) > 2 && rest[0] == ' ' && rest[2] == ' ' && strings.IndexByte(",;:@#$%&?![](){}<>", rest[1]) >= 0:
		// tokenizer.sed has cut the character off on both sides: "brM- { lée".
		return charmap.Windows1252.DecodeByte(rest[1] | 0x80), 3
	case len(rest) > 0 && rest[0] > ' ' && rest[0] < 0x7f:
		return charmap.Windows1252.DecodeByte(rest[0] | 0x80), 1
	}
	return 0, 0
}
