package synonym

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// parts are the parts of speech by the names of Princeton's files.
var parts = []struct {
	name string
	pos  byte
}{{"noun", noun}, {"verb", verb}, {"adj", adjective}, {"adv", adverb}}

// countsName is the file of the numbers of uses.
const countsName = "cntlist.rev"

// PrincetonFiles names the files that ReadPrinceton reads, in a fixed order. Those
// that end in .exc or .rev may be absent.
func PrincetonFiles() []string {
	var names []string
	for _, p := range parts {
		names = append(names, "data."+p.name, "index."+p.name, p.name+".exc")
	}
	return append(names, countsName)
}

// Required says whether a file of PrincetonFiles must be there.
func Required(name string) bool {
	return !strings.HasSuffix(name, ".exc") && !strings.HasSuffix(name, ".rev")
}

// ReadPrinceton reads the files of Princeton's WordNet (wndb(5WN); those of Debian's
// package wordnet-base lie in /usr/share/wordnet) through open, which gives each of
// PrincetonFiles by its name, or an error that matches fs.ErrNotExist. Synsets come
// from data.*, the senses of a word in their order from index.*, irregular forms from
// *.exc, the numbers of uses in texts tagged by hand from cntlist.rev (cntlist(5WN)).
//
// Errors name the file and the line: one of another form; a sense whose synset is
// not in the data, or lacks the word. It takes about 60 MB and half a second for
// WordNet 3.0.
func ReadPrinceton(open func(name string) (io.ReadCloser, error)) (*Lexicon, error) {
	l := &Lexicon{exceptions: map[byte]map[string][]string{}}
	uses := map[string]int32{}
	err := readFile(open, countsName, func(line string) error { return parseCount(line, uses) })
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		ids := map[string]int32{} // synsets by offset
		err := readFile(open, "data."+p.name, func(line string) error {
			if isHeader(line) {
				return nil
			}
			offset, s, err := parseData(line, p.pos)
			if err != nil {
				return err
			}
			if _, ok := ids[offset]; ok {
				return fmt.Errorf("synset %s stands twice", offset)
			}
			ids[offset] = l.add(s)
			return nil
		})
		if err != nil {
			return nil, err
		}
		err = readFile(open, "index."+p.name, func(line string) error {
			if isHeader(line) {
				return nil
			}
			return l.parseIndex(line, p.pos, ids, uses)
		})
		if err != nil {
			return nil, err
		}
		forms := map[string][]string{}
		err = readFile(open, p.name+".exc", func(line string) error { return parseException(line, forms) })
		if err != nil {
			return nil, err
		}
		l.exceptions[p.pos] = forms
	}
	return l, nil
}

func readFile(open func(name string) (io.ReadCloser, error), name string, use func(line string) error) error {
	file, err := open(name)
	if errors.Is(err, fs.ErrNotExist) && !Required(name) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read WordNet: %w", err)
	}
	defer file.Close()
	mark := ""
	if strings.HasPrefix(name, "data.") {
		mark = "|" // the gloss, most of the file
	}
	if err := eachLine(file, mark, use); err != nil {
		return fmt.Errorf("read WordNet: %s: %w", name, err)
	}
	return nil
}

// isHeader says that a line is of the licence at the head of a file.
func isHeader(line string) bool { return line == "" || strings.HasPrefix(line, "  ") }

// fields takes the fields between spaces of a line one by one.
type fields struct {
	rest string
	err  error
}

func (f *fields) next() string {
	field, rest, _ := strings.Cut(f.rest, " ")
	if field == "" && f.err == nil {
		f.err = errors.New("the line ends early, or has two spaces in a row")
	}
	f.rest = rest
	return field
}

func (f *fields) number(base int) int {
	field := f.next()
	if f.err != nil {
		return 0
	}
	n, err := strconv.ParseUint(field, base, 31)
	if err != nil {
		f.err = fmt.Errorf("%q is not a number", field)
	}
	return int(n)
}

// parseData reads the start of a line of data.*: offset, number of the lexicographer
// file, type, number of words in base 16, the words, each with its number, and of a verb
// its frames.
func parseData(line string, pos byte) (offset string, s synset, err error) {
	f := fields{rest: line}
	offset = f.next()
	f.number(10)
	kind := f.next()
	n := f.number(16)
	if got, ok := partOf(kind); f.err == nil && (!ok || got != pos) {
		f.err = fmt.Errorf("a synset of type %q", kind)
	}
	if f.err == nil && n == 0 {
		f.err = errors.New("a synset without words")
	}
	s.pos = pos
	for range n {
		word := f.next()
		f.number(16)
		if f.err != nil {
			break
		}
		m := member{word: word}
		// Where an adjective must stand: (p) after the verb, (a) before the noun, (ip)
		// right after it.
		if i := strings.IndexByte(word, '('); i > 0 && strings.HasSuffix(word, ")") {
			m = member{word: word[:i], bound: true}
		}
		m.word = strings.ReplaceAll(m.word, "_", " ")
		s.members = append(s.members, m)
	}
	if pos == verb && f.err == nil {
		f.frames(s.members)
	}
	return offset, s, f.err
}

// frames reads what follows the words of a verb: the pointers, of four fields each, and
// the frames, "+" with the number of the frame and that of the word, in base 16, 0 for
// all words.
func (f *fields) frames(members []member) {
	for range f.number(10) {
		for range 4 {
			if f.next(); f.err != nil {
				return
			}
		}
	}
	for range f.number(10) {
		f.next()
		frame, word := f.number(10), f.number(16)
		if f.err != nil {
			return
		}
		if frame >= 64 || word > len(members) {
			f.err = fmt.Errorf("frame %d of word %d of %d", frame, word, len(members))
			return
		}
		for i := range members {
			if word == 0 || word == i+1 {
				members[i].frames |= 1 << frame
			}
		}
	}
}

// parseIndex reads a line of index.*: lemma, part, number of synsets, number of kinds
// of pointers, these, number of senses, number of tagged senses, offsets. The lemma
// is in lower case whatever the members are.
func (l *Lexicon) parseIndex(line string, pos byte, ids map[string]int32, uses map[string]int32) error {
	f := fields{rest: strings.TrimRight(line, " ")}
	lemma := f.next()
	f.next()
	n := f.number(10)
	for range f.number(10) {
		if f.next(); f.err != nil {
			return f.err
		}
	}
	f.number(10)
	f.number(10)
	if f.err != nil {
		return f.err
	}
	key := useKey(lemma, pos)
	lemma = strings.ReplaceAll(lemma, "_", " ")
	for i := range n {
		offset := f.next()
		if f.err != nil {
			return f.err
		}
		id, ok := ids[offset]
		if !ok {
			return fmt.Errorf("%s has a sense in %s, which is not a synset", lemma, offset)
		}
		word := ""
		for _, m := range l.synsets[id].members {
			if strings.EqualFold(m.word, lemma) {
				word = m.word
				break
			}
		}
		if word == "" {
			return fmt.Errorf("%s has a sense in %s, but is not a member of that synset", lemma, offset)
		}
		l.addSense(word, sense{synset: id, uses: uses[key+strconv.Itoa(i+1)]})
	}
	return nil
}

// useKey is the start of the key of a number of uses, which ends with the number of
// the sense.
func useKey(lemma string, pos byte) string { return lemma + "%" + string(pos) }

// parseCount reads a line of cntlist.rev: sense key, number of the sense, uses. The
// key is lemma%type:…, with types 1 to 5.
func parseCount(line string, uses map[string]int32) error {
	if line == "" {
		return nil
	}
	f := fields{rest: line}
	key := f.next()
	number := f.number(10)
	count := f.number(10)
	if f.err != nil {
		return f.err
	}
	lemma, rest, ok := strings.Cut(key, "%")
	types := map[byte]byte{'1': noun, '2': verb, '3': adjective, '4': adverb, '5': adjective}
	if !ok || len(rest) == 0 || types[rest[0]] == 0 {
		return fmt.Errorf("%q is not a sense key", key)
	}
	uses[useKey(lemma, types[rest[0]])+strconv.Itoa(number)] += int32(count)
	return nil
}

// parseException reads a line of *.exc: a form, and its base forms.
func parseException(line string, forms map[string][]string) error {
	list := strings.Fields(line)
	if len(list) == 0 {
		return nil
	}
	if len(list) == 1 {
		return fmt.Errorf("form %q without a base form", list[0])
	}
	for _, base := range list[1:] {
		if base != list[0] && isPlain(base) && isPlain(list[0]) {
			forms[base] = append(forms[base], list[0])
		}
	}
	return nil
}
