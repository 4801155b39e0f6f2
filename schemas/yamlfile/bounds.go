package yamlfile

import (
	"fmt"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Bounds of what a file may hold, far above what any does. The parser gives every node the
// path of keys to it, so that depth, keys and nodes multiply.
const (
	MaxBytes   = 256 << 10
	maxTokens  = 20_000
	maxDepth   = 32            // lists and mappings in each other
	maxKey     = 256           // bytes of a key
	maxMarks   = 500           // anchors, tags and keys after a question mark
	maxVisited = 20_000        // nodes, each as often as aliases and merges repeat it
	maxText    = 16 * MaxBytes // of texts, likewise; most are looked at several times
	maxFaults  = 100
)

// tokens splits a file, and says at which line there is too much of something.
func tokens(name string, data []byte) (token.Tokens, error) {
	if len(data) > MaxBytes {
		return nil, &Fault{name, 1, fmt.Sprintf("the file has %d bytes, at most %d are read", len(data), MaxBytes)}
	}
	lexemes := lexer.Tokenize(string(data))
	var flow, marks, last int
	var columns []int // where the lists and mappings without brackets begin that go on
	for i, t := range lexemes {
		line, column := 1, 1
		if t.Position != nil {
			line, column = t.Position.Line, t.Position.Column
		}
		fault := func(format string, args ...any) (token.Tokens, error) {
			return nil, &Fault{name, line, fmt.Sprintf(format, args...)}
		}
		if i == maxTokens {
			return fault("there are more than %d words and signs up to here", maxTokens)
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(flow-1, 0)
		case token.AnchorType, token.TagType, token.MappingKeyType:
			if marks++; marks > maxMarks {
				return fault("there are more than %d anchors and tags up to here", maxMarks)
			}
		case token.MappingValueType:
			if i > 0 && len(lexemes[i-1].Value) > maxKey {
				return fault("a key has %d bytes, at most %d are read", len(lexemes[i-1].Value), maxKey)
			}
		}
		if flow == 0 && (line != last || t.Type == token.SequenceEntryType || t.Type == token.MappingKeyType) {
			for len(columns) > 0 && columns[len(columns)-1] >= column {
				columns = columns[:len(columns)-1]
			}
			columns = append(columns, column)
		}
		last = line
		if flow+len(columns) > maxDepth {
			return fault("lists and mappings stand more than %d deep in each other", maxDepth)
		}
	}
	return lexemes, nil
}
