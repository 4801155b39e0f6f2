package formats

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas/jsonfile"
	"sentweave/transforms/tokens/bpe"
	"sentweave/transforms/tokens/pieces"
	"sentweave/transforms/tokens/unigram"
	"sentweave/transforms/tokens/wordpiece"
)

// robertaClass is that of the tokenizer of RoBERTa.
const robertaClass = "RobertaTokenizer"

var (
	// plainClasses are the classes of transformers whose tokenizers are as their tokenizer.json says.
	plainClasses = []string{"PreTrainedTokenizer", "TokenizersBackend"}
	// wordClasses have BERT's tokenizer, whose settings are those of tokenizer_config.json.
	wordClasses = []string{"BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer", "MPNetTokenizer"}
	// usualClasses are those of a model_type where a folder names none.
	usualClasses = map[string]string{"bert": "BertTokenizer", "distilbert": "BertTokenizer", "mpnet": "MPNetTokenizer",
		"roberta": robertaClass, "xlm-roberta": unigram.XLMRClass, "camembert": unigram.CamembertClass}
)

// settings are what a folder says of its tokenizer beside the tokenizer's own file.
type settings struct {
	Class string `json:"tokenizer_class"`
	Model string `json:"model_type"`
	// Prefix says whether a space is put before texts.
	Prefix *bool `json:"add_prefix_space"`
	Begin  any   `json:"bos_token"`
	End    any   `json:"eos_token"`
	// configured says that there is a tokenizer_config.json.
	configured bool
	// found are added tokens that are not special ones, by the file that has them.
	found map[string]string
}

const (
	configName      = "tokenizer_config.json"
	addedTokensName = "added_tokens.json"
)

// settings reads config.json and, above it, tokenizer_config.json; neither need be there.
func (f Files) settings() (*settings, error) {
	s := &settings{found: map[string]string{}}
	for _, name := range []string{"config.json", configName} {
		content, err := f.read(name)
		if errors.Is(err, fs.ErrNotExist) {
			content = []byte("{}")
		} else if err != nil {
			return nil, err
		}
		s.Prefix, s.Begin, s.End = nil, nil, nil // which config.json does not decide
		if err := jsonfile.Unmarshal(content, s); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if name == configName {
			s.configured = err == nil
			if err := f.added(content, s.found); err != nil {
				return nil, err
			}
		}
	}
	s.Class = strings.TrimSuffix(s.Class, "Fast")
	return s, nil
}

// added finds the added tokens that are not special ones: those of tokenizer_config.json, or of the older added_tokens.json.
func (f Files) added(config []byte, found map[string]string) error {
	var fields map[string]any
	if err := jsonfile.Unmarshal(config, &fields); err != nil {
		return fmt.Errorf("%s: %w", configName, err)
	}
	special := map[string]bool{}
	for name, value := range fields {
		switch {
		case strings.HasSuffix(name, "_token"):
			special[contentOf(value)] = true
		case strings.HasSuffix(name, "_special_tokens"): // additional ones, as a list, or by their roles
			list, _ := value.([]any)
			roles, _ := value.(map[string]any)
			for _, token := range slices.AppendSeq(list, maps.Values(roles)) {
				special[contentOf(token)] = true
			}
		}
	}
	if tokens, ok := fields["added_tokens_decoder"].(map[string]any); ok {
		for _, token := range tokens {
			fields, _ := token.(map[string]any)
			if name := contentOf(token); fields["special"] != true && !special[name] {
				found[name] = configName
			}
		}
		return nil
	}
	var ids map[string]int
	content, err := f.read(addedTokensName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = jsonfile.Unmarshal(content, &ids)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", addedTokensName, err)
	}
	for name := range ids {
		if !special[name] {
			found[name] = addedTokensName
		}
	}
	return nil
}

// contentOf returns a token that is written alone, or with how it is found in texts.
func contentOf(token any) string {
	if fields, ok := token.(map[string]any); ok {
		token = fields["content"]
	}
	name, _ := token.(string)
	return name
}

// class returns the class of the tokenizer in transformers 5, "" for one that is as its tokenizer.json says.
func (s *settings) class() string {
	switch {
	case s.Model == "modernbert" || slices.Contains(plainClasses, s.Class):
		return ""
	case s.Class == "" && s.configured:
		return usualClasses[s.Model]
	}
	return s.Class
}

// apply returns a tokenizer as its class has it.
func (s *settings) apply(read Serialized) (Serialized, error) {
	class, model := s.class(), ""
	switch {
	case class == "":
		return read, nil
	case slices.Contains(wordClasses, class):
		model = "WordPiece"
		if _, ok := read.(*wordpiece.Serialized); ok {
			return read, nil
		}
	case class == robertaClass:
		model = "byte-level BPE"
		if b, ok := read.(*bpe.Serialized); ok {
			return b.WithPrefix(s.Prefix != nil && *s.Prefix)
		}
	case class == unigram.XLMRClass || class == unigram.CamembertClass:
		model = "Unigram"
		if u, ok := read.(*unigram.Serialized); ok {
			return u.OfClass(unigram.Class{Name: class, Prefix: s.Prefix == nil || *s.Prefix,
				Begin: cmp.Or(contentOf(s.Begin), "<s>"), End: cmp.Or(contentOf(s.End), "</s>")})
		}
	default:
		return nil, s.unsupported()
	}
	if s.Class == "" {
		return read, nil
	}
	return nil, fmt.Errorf("its tokenizer_class %s takes a model of %s, which it is not: where the file alone says how texts become ids, the class is PreTrainedTokenizerFast",
		s.Class, model)
}

func (s *settings) unsupported() error {
	return fmt.Errorf("its tokenizer_class %s is not supported, only %s, %s, %s, %s and PreTrainedTokenizerFast, with which the %s alone says how texts become ids",
		s.Class, strings.Join(wordClasses, ", "), robertaClass, unigram.XLMRClass, unigram.CamembertClass, SerializedName)
}

// checkAdded returns an error for an added token that is not a special one, and that the tokenizer's own file does not have.
func (s *settings) checkAdded(list []pieces.Added) error {
	for _, name := range slices.Sorted(maps.Keys(s.found)) {
		if !slices.ContainsFunc(list, func(token pieces.Added) bool { return token.Content == name }) {
			return fmt.Errorf("the added token %q of %s is not a special one: such a token is matched within texts, which is not supported", name,
				s.found[name])
		}
	}
	return nil
}

// AsWritten says whether a tokenizer.json alone says how texts become ids, as it does where a folder names a plain class, or names none and
// has no tokenizer_config.json, which programs seldom leave out. Otherwise a class with settings of its own does.
func (f Files) AsWritten() (bool, error) {
	s, err := f.settings()
	return err == nil && s.class() == "", err
}

// CheckWords returns an error if a folder names another class than those with BERT's tokenizer for its vocab.txt, or added tokens that are
// not special ones.
func (f Files) CheckWords() error {
	s, err := f.settings()
	switch {
	case err != nil:
		return err
	case s.Class != "" && !slices.Contains(wordClasses, s.Class) && !slices.Contains(plainClasses, s.Class):
		return s.unsupported()
	}
	return s.checkAdded(nil)
}
