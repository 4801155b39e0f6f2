package tmx

import (
	"errors"
	"fmt"
	"io"

	"sentweave/schemas/language"
)

// Reader reads the units of a memory. It is not safe for concurrent use.
type Reader struct {
	config  Config
	scanner *scanner
	utf8    bool
	header  Header
	units   int64
	codes   map[string]string // of tags that were met
	// fault is what is wrong with the file as a whole, to be told once.
	fault, detail string
	began, ended  bool
	closed        bool   // behind the end of a memory, behind which another one may begin
	inTag         bool   // of a header that is too long, whose rest comes as text
	inHeader      bool   // which may hold notes with anything in them
	stray         stray  // what is outside of the units
	pending       *token // of a unit that ended another one, or what is stray
	elements      elements
}

// NewReader returns a reader of a stream. It is not an error if the stream is not TMX:
// the stream's only unit then has that reason.
func NewReader(input io.Reader, config Config) (*Reader, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("read TMX: %w", err)
	}
	r := &Reader{config: config, codes: map[string]string{}}
	stream, utf8, unknown := decoded(input)
	if unknown != "" {
		r.fault, r.detail, r.ended = UnknownEncoding, fmt.Sprintf("%.40q", unknown), true
		return r, nil
	}
	r.scanner, r.utf8 = newScanner(stream), utf8
	return r, nil
}

// Next returns the next unit, or io.EOF after the last. Any other error comes from the
// stream, and the reader cannot be used after it.
func (r *Reader) Next() (Unit, error) {
	for !r.ended {
		t, err := r.token()
		if errors.Is(err, io.EOF) {
			r.ended = true
			switch {
			case !r.began:
				r.fault = NotTMX
			case !r.closed:
				r.fault = Truncated
			}
			if u, ok := r.outside(); ok {
				return u, nil
			}
			break
		}
		if err != nil {
			return Unit{}, err
		}
		if !r.began && !r.begin(t) {
			continue
		}
		if r.inTag = r.inTag && t.kind == textToken; r.inTag {
			continue
		}
		structure := r.structure(t)
		if t.kind == faultToken && !r.closed && r.scanner.atEnd() {
			continue // and the file is cut
		}
		if !structure && !r.inHeader {
			if complete := r.stray.add(r.scanner.entities, t); !complete {
				continue
			}
		}
		if u, ok := r.outside(); ok {
			if structure {
				r.pending = &t
			}
			return u, nil
		}
		if t.begins("tu") && !r.inHeader {
			return r.unit(t)
		}
	}
	if r.fault == "" {
		return Unit{}, io.EOF
	}
	u := Unit{Ordinal: r.units, Reason: r.fault, Detail: r.detail}
	r.fault = ""
	return u, nil
}

// structure says whether a token is of what stands around units, or begins one.
func (r *Reader) structure(t token) bool {
	name := string(t.name)
	switch {
	case t.kind == startToken && name == "tmx":
		r.closed, r.inHeader, r.header = t.empty, false, Header{}
	case t.kind == endToken && name == "tmx":
		r.closed = true
		r.stray.lost = r.stray.lost || r.inHeader // of which nobody has seen the end
		r.inHeader = false
	case t.kind == startToken && name == "header":
		r.readHeader(t)
		r.inHeader = !t.empty
	case t.kind == endToken && name == "header", t.kind == startToken && name == "body":
		r.inHeader = false
	case t.kind == faultToken && name == "header":
		r.fault, r.detail, r.inTag = t.reason(), "the header: "+string(t.text), true
	case t.begins("tu") && !r.inHeader:
	case t.kind == endToken && name == "body":
	default:
		return false
	}
	return true
}

func (r *Reader) token() (token, error) {
	if t := r.pending; t != nil {
		r.pending = nil
		return *t, nil
	}
	return r.scanner.next()
}

// begin waits for the first element, and ends the file if that is not TMX's.
func (r *Reader) begin(t token) bool {
	blank := t.kind == textToken && len(trimSpaces(t.text)) == 0
	switch {
	case t.kind == startToken && string(t.name) == "tmx":
		r.began = true
	case !blank:
		r.fault, r.detail, r.ended = NotTMX, "it does not begin with the element tmx", true
	}
	return r.began && !r.ended
}

// readHeader reads what the header tells; what is malformed tells nothing.
func (r *Reader) readHeader(t token) {
	_ = r.scanner.entities.attributes(t.attributes, func(name, value string) {
		switch name {
		case "creationtool":
			r.header.CreationTool = value
		case "creationtoolversion":
			r.header.CreationToolVersion = value
		case "srclang":
			r.header.SourceLanguage = value
		}
	})
}

// code returns the code of a language by its tag, or "".
func (r *Reader) code(tag string) string {
	code, ok := r.codes[tag]
	if !ok {
		code, _ = language.Parse(tag)
		if len(r.codes) < 10_000 { // whatever the file invents
			r.codes[tag] = code
		}
	}
	return code
}
