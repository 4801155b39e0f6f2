package unigram

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/pieces"
)

// ModelName is the usual name of a file of SentencePiece in the folder of an encoder, OtherModelName another one.
const (
	ModelName      = "sentencepiece.bpe.model"
	OtherModelName = "spiece.model"
)

// Classes of tokenizers, as transformers names them, that take their ids from a file of SentencePiece.
const (
	XLMRClass      = "XLMRobertaTokenizer"
	CamembertClass = "CamembertTokenizer"
)

// proto is what counts of a file of SentencePiece, a ModelProto of its sentencepiece_model.proto.
type proto struct {
	pieces   []scored
	kinds    []uint64
	model    uint64
	suffix   bool // whether spaces end words
	fallback bool
	charsmap []byte
	prefix   bool // whether a space is put before a text
	trim     bool // whether runs of spaces become one
	escape   bool // whether spaces become the mark
}

// Types of models and of pieces.
const (
	unigramModel = 1

	normalPiece, unknownPiece, controlPiece, definedPiece, unusedPiece, bytePiece = 1, 2, 3, 4, 5, 6
)

var modelKinds = map[uint64]string{2: "BPE", 3: "WORD", 4: "CHAR"}

// ReadModel reads the content of a file of SentencePiece of type Unigram with ids as a class of transformers gives them: those of
// XLM-R's have <s>, <pad>, </s> and <unk> before the pieces and <mask> behind them, and those of CamemBERT's some more. Ids are those
// of sentencepiece 0.2.3 with the class's offset, also of texts that Hugging Face tokenizers split otherwise. Models of other types,
// pieces that a user has defined, and settings that neither class has are errors that name them.
func ReadModel(data []byte, class string) (*Serialized, error) {
	p := proto{model: unigramModel, prefix: true, trim: true, escape: true}
	if err := p.read(data); err != nil {
		return nil, fmt.Errorf("it is not a model of SentencePiece, or it is cut: %w", err)
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	t := &Tokenizer{single: true, unknownID: 3}
	t.Mark, t.FileTitle, t.Class, t.File = mark, ModelName, class, bytes.Clone(data)
	form := prefixForm{prefix: p.prefix, trim: p.trim}
	if len(p.charsmap) > 0 {
		var err error
		if form.charsmap, err = newCharsmap(p.charsmap); err != nil {
			return nil, err
		}
		form.inert = form.charsmap.inert()
	}
	t.steps = []step{form}
	j := &serializedJSON{}
	j.Model.Fallback = p.fallback
	around, first := []string{"<s>", "<pad>", "</s>", "<unk>"}, 0
	if class == CamembertClass {
		around, first = []string{"<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED", "<s>", "</s>"}, 5
	}
	for _, piece := range around {
		j.Model.Pieces = append(j.Model.Pieces, scored{piece: piece, unspoken: true})
	}
	j.Model.Pieces = append(j.Model.Pieces, p.pieces[reserved:]...)
	for name, id := range map[string]int{"<s>": first, "<pad>": 1, "</s>": slices.Index(around, "</s>"), "<unk>": 3,
		"<mask>": len(j.Model.Pieces)} {
		j.AddedTokens = append(j.AddedTokens, pieces.Added{ID: id, Content: name, Special: true})
	}
	t.Names.Classify, t.Names.Separate = "<s>", "</s>"
	s := &Serialized{tokenizer: t}
	if err := s.take(j); err != nil {
		return nil, err
	}
	t.unknown = float64(float32(t.unknown))
	settings := struct {
		Class                  string
		Fallback, Prefix, Trim bool
		Names                  tokens.SpecialTokens
		Charsmap               []byte
	}{class, p.fallback, p.prefix, p.trim, t.Names, p.charsmap}
	t.Hashed = sync.OnceValue(func() string { return contentOf(settings, t.List, t.scores) })
	t.pool.New = newScratch
	return s, nil
}

// reserved are the pieces of a file for which both classes have ids of their own: the unknown one, <s> and </s>.
const reserved = 3

// check returns an error for what is not supported.
func (p *proto) check() error {
	switch {
	case p.model != unigramModel:
		return fmt.Errorf("its model_type is %s, only UNIGRAM is supported: load the tokenizer with transformers, and save_pretrained(folder) writes a tokenizer.json",
			orNumber(modelKinds, p.model))
	case p.suffix:
		return errors.New("its treat_whitespace_as_suffix is true, which is not supported")
	case !p.escape:
		return errors.New("its escape_whitespaces is false, which is not supported")
	case len(p.pieces) < reserved || p.kinds[0] != unknownPiece || p.kinds[1] != controlPiece || p.kinds[2] != controlPiece ||
		p.pieces[1].piece != "<s>" || p.pieces[2].piece != "</s>":
		return errors.New("it does not begin with the pieces <unk>, <s> and </s>, as the files of XLM-R and CamemBERT do: load the tokenizer with transformers, and save_pretrained(folder) writes a tokenizer.json")
	}
	spoken := 0
	for i, kind := range p.kinds {
		piece := p.pieces[i].piece
		switch kind {
		case normalPiece:
			spoken++
			continue
		case controlPiece, unusedPiece, bytePiece:
		case unknownPiece:
			if i > 0 {
				return fmt.Errorf("%q is a second unknown piece", piece)
			}
		case definedPiece:
			return fmt.Errorf("its piece %q is one of user_defined_symbols, which are not supported: such a piece is found before text is normalized",
				piece)
		default:
			return fmt.Errorf("its piece %q has the unknown type %d", piece, kind)
		}
		p.pieces[i].unspoken = true
	}
	if spoken == 0 {
		return errors.New("it has no pieces of text")
	}
	return nil
}

func orNumber(names map[uint64]string, value uint64) string {
	if name, ok := names[value]; ok {
		return name
	}
	return fmt.Sprint(value)
}

// read reads a ModelProto.
func (p *proto) read(data []byte) error {
	return fields(data, func(f field) error {
		switch {
		case f.is(1, protowire.BytesType):
			piece, kind := scored{}, uint64(normalPiece)
			err := fields(f.bytes, func(f field) error {
				switch {
				case f.is(1, protowire.BytesType):
					piece.piece = string(f.bytes)
				case f.is(2, protowire.Fixed32Type):
					piece.score = float64(math.Float32frombits(uint32(f.number)))
				case f.is(3, protowire.VarintType):
					kind = f.number
				}
				return nil
			})
			if err == nil && (math.IsNaN(piece.score) || math.IsInf(piece.score, 0)) {
				err = fmt.Errorf("%q has the score %v", piece.piece, piece.score)
			}
			if err == nil && !utf8.ValidString(piece.piece) {
				err = fmt.Errorf("the piece %q is not UTF-8", piece.piece)
			}
			p.pieces, p.kinds = append(p.pieces, piece), append(p.kinds, kind)
			return err
		case f.is(2, protowire.BytesType):
			return fields(f.bytes, func(f field) error {
				switch {
				case f.is(3, protowire.VarintType):
					p.model = f.number
				case f.is(24, protowire.VarintType):
					p.suffix = f.number != 0
				case f.is(35, protowire.VarintType):
					p.fallback = f.number != 0
				}
				return nil
			})
		case f.is(3, protowire.BytesType):
			return fields(f.bytes, func(f field) error {
				switch {
				case f.is(2, protowire.BytesType):
					p.charsmap = f.bytes
				case f.is(3, protowire.VarintType):
					p.prefix = f.number != 0
				case f.is(4, protowire.VarintType):
					p.trim = f.number != 0
				case f.is(5, protowire.VarintType):
					p.escape = f.number != 0
				}
				return nil
			})
		}
		return nil
	})
}

// field is one of a message.
type field struct {
	name  protowire.Number
	kind  protowire.Type
	bytes []byte
	// number is that of a varint or of 32 bits.
	number uint64
}

func (f field) is(name protowire.Number, kind protowire.Type) bool {
	return f.name == name && f.kind == kind
}

// fields calls use for those of a message.
func fields(message []byte, use func(field) error) error {
	for len(message) > 0 {
		f, size := field{}, 0
		if f.name, f.kind, size = protowire.ConsumeTag(message); size < 0 {
			return protowire.ParseError(size)
		}
		message = message[size:]
		switch f.kind {
		case protowire.BytesType:
			f.bytes, size = protowire.ConsumeBytes(message)
		case protowire.VarintType:
			f.number, size = protowire.ConsumeVarint(message)
		case protowire.Fixed32Type:
			var bits uint32
			bits, size = protowire.ConsumeFixed32(message)
			f.number = uint64(bits)
		default:
			size = protowire.ConsumeFieldValue(f.name, f.kind, message)
		}
		if size < 0 {
			return protowire.ParseError(size)
		}
		message = message[size:]
		if err := use(f); err != nil {
			return err
		}
	}
	return nil
}
