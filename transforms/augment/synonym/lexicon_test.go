package synonym

import (
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A small WordNet in Princeton's format: two senses of box, of which the first is used
// much more, an adjective that stands after the verb only, a name, a word of two parts.
var little = map[string]string{
	"data.noun": "  1 licence  \n" +
		"00000100 06 n 02 box 0 container 1 002 @ 00000200 n 0000 ~ 00000300 n 0101 | what holds things; \"a box\"  \n" +
		"00000200 06 n 01 box 1 000 | a blow  \n" +
		"00000300 06 n 03 hard_disk 0 fixed_disk 0 Winchester 0 000 | a device  \n",
	"index.noun": "  1 licence  \n" +
		"box n 2 1 @ 2 1 00000100 00000200  \ncontainer n 1 0 1 0 00000100  \nhard_disk n 1 0 1 0 00000300  \nfixed_disk n 1 0 1 0 00000300  \nwinchester n 1 0 1 0 00000300  \n",
	// To end is said with and without an object, to terminate with one only.
	"data.verb":  "00000500 30 v 03 end 0 terminate 0 stop 0 001 @ 00000500 v 0000 03 + 08 00 + 02 01 + 02 03 | x  \n",
	"index.verb": "end v 1 0 1 0 00000500  \nterminate v 1 0 1 0 00000500  \nstop v 1 0 1 0 00000500  \n",
	"data.adj":   "00000400 00 s 02 awake(p) 0 alert 0 000 | not asleep  \n",
	"index.adj":  "awake a 1 0 1 0 00000400  \nalert a 1 0 1 0 00000400  \n",
	"data.adv":   "", "index.adv": "",
	"noun.exc":    "oxen ox\nboxen box\n",
	"cntlist.rev": "box%1:06:00:: 1 30\nbox%1:04:00:: 2 1\ncontainer%1:06:00:: 1 7\nalert%5:00:00:awake:00 1 3\n",
}

func TestReadPrinceton(t *testing.T) {
	l, err := ReadPrinceton(files(little))
	if err != nil {
		t.Fatal(err)
	}
	if l.Synsets() != 5 || l.Words() != 10 || !l.Counted() {
		t.Errorf("%d synsets, %d words, counted: %v", l.Synsets(), l.Words(), l.Counted())
	}
	if got := l.senses["box"]; !slices.Equal(got, []sense{{0, 30}, {1, 1}}) {
		t.Errorf("senses of box: %v", got)
	}
	if got := l.synsets[2].members; got[0].word != "hard disk" || got[2].word != "Winchester" || l.senses["Winchester"] == nil ||
		l.senses["winchester"] != nil {
		t.Errorf("members %v", got)
	}
	if got := l.synsets[4]; got.pos != adjective || !got.members[0].bound || got.members[1].bound {
		t.Errorf("adjectives: %v", got)
	}
	if got := l.exceptions[noun]["box"]; !slices.Equal(got, []string{"boxen"}) {
		t.Errorf("exceptions of box: %v", got)
	}
	// The first sense of box weighs 31 of 33; container has one.
	r := replacer(t, l, Config{Share: 1, MinShare: 0.9, MinUses: 7})
	for text, want := range map[string]string{
		"the boxes": "the containers", "a container": "a box", "boxen": "containers", "alert": "alert", "awake": "awake",
		"a box, hard": "a container, hard",
	} {
		if got, _ := r.Replace("", text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if got := r.synonyms("box"); !slices.Equal(got, []string{"container"}) || len(r.table.entries) == 0 || r.synonyms("awake") != nil {
		t.Errorf("synonyms of box: %q; %d forms", got, len(r.table.entries))
	}
	if r := replacer(t, l, Config{Share: 1, MinShare: 0.9}); !slices.Equal(r.synonyms("ended"), []string{"stopped"}) ||
		!slices.Equal(r.synonyms("terminates"), []string{"ends", "stops"}) {
		t.Errorf("synonyms of ended: %q, of terminates: %q", r.synonyms("ended"), r.synonyms("terminates"))
	}
	if r := replacer(t, l, Config{Share: 1, MinShare: 0.95}); r.synonyms("box") != nil || r.synonyms("container") != nil {
		t.Error("a share of 31 in 33 passes 0.95")
	}
	if r := replacer(t, l, Config{Share: 1, MinShare: 0.9, MinUses: 8}); r.synonyms("box") != nil || r.synonyms("container") == nil {
		t.Error("the word that is used 7 times passes 8, or that of 31 does not")
	}
}

func TestReadPrincetonErrors(t *testing.T) {
	for _, test := range []struct{ file, text, want string }{
		{"data.noun", "00000100 06 n 02 box 0\n", "data.noun: line 1: the line ends early"},
		{"data.noun", "00000100 06 v 01 box 0 000 | x\n", `data.noun: line 1: a synset of type "v"`},
		{"data.noun", "00000100 06 n 00 000 | x\n", "without words"},
		{"data.verb", "00000100 06 v 01 end 0 000 01 + 08 02 | x\n", "frame 8 of word 2 of 1"},
		{"data.verb", "00000100 06 v 01 end 0 001 @ 1 | x\n", "line 1: the line ends early"},
		{"data.noun", "00000100 06 n zz box 0 000 | x\n", `"zz" is not a number`},
		{"data.noun", little["data.noun"] + "00000100 06 n 01 box 0 000 | x\n", "line 5: synset 00000100 stands twice"},
		{"index.noun", "box n 1 0 1 0 00000999\n", "index.noun: line 1: box has a sense in 00000999, which is not a synset"},
		{"index.noun", "ball n 1 0 1 0 00000100\n", "ball has a sense in 00000100, but is not a member"},
		{"index.noun", "box n 2 0 2 0 00000100\n", "line 1: the line ends early"},
		{"noun.exc", "boxen\n", `noun.exc: line 1: form "boxen" without a base form`},
		{"cntlist.rev", "box 1 30\n", `cntlist.rev: line 1: "box" is not a sense key`},
		{"cntlist.rev", "box%1:06:00:: 1 -30\n", `"-30" is not a number`},
		{"data.adj", "\xff\n", "data.adj: line 1: not UTF-8"},
	} {
		broken := maps.Clone(little)
		broken[test.file] = test.text
		_, err := ReadPrinceton(files(broken))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %q: %v, want %q", test.file, test.text, err, test.want)
		}
	}
	for _, name := range PrincetonFiles() {
		broken := maps.Clone(little)
		delete(broken, name)
		_, err := ReadPrinceton(files(broken))
		if Required(name) != (err != nil) || err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
	bad := errors.New("the disk is gone")
	_, err := ReadPrinceton(func(string) (io.ReadCloser, error) { return nil, bad })
	if !errors.Is(err, bad) {
		t.Errorf("%v", err)
	}
}

func TestReadSynsets(t *testing.T) {
	l, err := ReadSynsets(strings.NewReader("1-n\tn\tnoun.x\thard disk|Winchester\r\n\n2-s\ts\tadj.x\tbig|large|big\n"))
	if err != nil {
		t.Fatal(err)
	}
	if l.Synsets() != 2 || l.Words() != 4 || l.Counted() || l.synsets[1].pos != adjective || len(l.senses["big"]) != 1 {
		t.Errorf("%+v", l)
	}
	for text, want := range map[string]string{
		"":                             "the file has no synset",
		"\n":                           "the file has no synset",
		"1-n\tn\tnoun.x\n":             "line 1: 3 fields",
		"1-n\tn\tx\ta\n1-n\tn\tx\tb":   `line 2: synset "1-n" stands twice`,
		"1-n\tx\tx\ta":                 `part of speech "x"`,
		"1-n\tn\tx\ta||b":              `member ""`,
		"1-n\tn\tx\t a":                `member " a"`,
		"1-n\tn\tx\t\xff":              "line 1: not UTF-8",
		strings.Repeat("x", maxLine+1): "line 1: ",
	} {
		if _, err := ReadSynsets(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

// A table that is read holds what its lines say, and a replacer can be made of it.
func FuzzReadSynsets(f *testing.F) {
	f.Add(synsets[:200])
	f.Add("1\ta\tx\tA b|c\r\n\n2\tr\t\tc")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ReadSynsets(strings.NewReader(text))
		if err != nil {
			return
		}
		members := 0
		for i, s := range l.synsets {
			for _, m := range s.members {
				members++
				if !slices.Contains(l.senses[m.word], sense{synset: int32(i)}) {
					t.Fatalf("%q is not a sense of %v", m.word, s.members)
				}
			}
		}
		if members != strings.Count(text, "|")+l.Synsets()-strings.Count(fields3(text), "|") {
			t.Fatalf("%d members of %d synsets in %q", members, l.Synsets(), text)
		}
		usable(t, l)
	})
}

// fields3 is the text without the fields of the members.
func fields3(text string) string {
	var rest []string
	for line := range strings.SplitSeq(text, "\n") {
		rest = append(rest, strings.Join(strings.Split(line, "\t")[:min(3, strings.Count(line, "\t")+1)], "\t"))
	}
	return strings.Join(rest, "\n")
}

// usable makes a replacer and asks it for every form.
func usable(t *testing.T, l *Lexicon) {
	t.Helper()
	r := replacer(t, l, every())
	for form, e := range r.table.entries {
		for _, list := range e.replacements {
			for _, other := range list {
				if !isPlain(other) || other == form {
					t.Fatalf("%q for %q", other, form)
				}
			}
		}
		if got, _ := r.Replace("", form); strings.ContainsAny(got, " \n") {
			t.Fatalf("%q becomes %q", form, got)
		}
	}
}

// Files that are read hold together: every sense names a synset with its word.
func FuzzReadPrinceton(f *testing.F) {
	f.Add(little["data.noun"], little["index.noun"], little["noun.exc"], little["cntlist.rev"])
	f.Add("1 0 n 01 a 0", "a n 1 0 0 0 1", "b a", "a%1:: 1 1")
	f.Fuzz(func(t *testing.T, data, index, exceptions, counts string) {
		l, err := ReadPrinceton(files(map[string]string{
			"data.noun": data, "index.noun": index, "noun.exc": exceptions, "cntlist.rev": counts,
			"data.verb": "", "index.verb": "", "data.adj": "", "index.adj": "", "data.adv": "", "index.adv": "",
		}))
		if err != nil {
			return
		}
		for word, senses := range l.senses {
			for _, s := range senses {
				if s.uses < 0 || !standsIn(l.synsets[s.synset].members, word) {
					t.Fatalf("sense %v of %q", s, word)
				}
			}
		}
		usable(t, l)
	})
}

// Both wordnets whole: known sizes, and words whose synonyms are beyond doubt. The
// counts of WordNet 3.0 are those of its wnstats(7WN): 117,659 synsets, 155,287 words
// in four parts of speech, of which this counts 147,306 that differ but for case.
func TestWordNets(t *testing.T) {
	t.Run("princeton", func(t *testing.T) {
		l := princeton(t)
		folded := map[string]bool{}
		for word := range l.senses {
			folded[strings.ToLower(word)] = true
		}
		if l.Synsets() != 117_659 || len(folded) != 147_306 {
			t.Errorf("%d synsets, %d words", l.Synsets(), len(folded))
		}
		r, strict := replacer(t, l, PaperConfig()), replacer(t, l, DefaultConfig())
		for form, want := range map[string]string{"usually": "normally", "permits": "allows", "larger": "bigger", "furthermore": "moreover",
			"needed": "required"} {
			if got := r.synonyms(form); !slices.Contains(got, want) {
				t.Errorf("synonyms of %s: %q, want %s among them", form, got, want)
			}
		}
		for _, form := range []string{"run", "set", "bank", "the", "as", "two", "monday", "china"} {
			if got := strict.synonyms(form); got != nil {
				t.Errorf("strict synonyms of %s: %q", form, got)
			}
		}
		// Without context, "application" is a lotion to the paper's settings.
		for form, wrong := range map[string]string{"application": "lotion", "bug": "hemipteran", "contains": "arrests",
			"program": "broadcast", "longer": "thirster"} {
			if !slices.Contains(r.synonyms(form), wrong) || slices.Contains(strict.synonyms(form), wrong) {
				t.Errorf("%s for %s: the paper's settings have %q, the strict ones %q", wrong, form, r.synonyms(form),
					strict.synonyms(form))
			}
		}
		for form, right := range map[string]string{"usually": "normally", "permits": "allows", "larger": "bigger",
			"furthermore": "moreover", "lawyer": "attorney"} {
			if got := strict.synonyms(form); !slices.Contains(got, right) {
				t.Errorf("strict synonyms of %s: %q, want %s among them", form, got, right)
			}
		}
	})
	t.Run("open english", func(t *testing.T) {
		l := derived(t)
		if l.Synsets() != 107_525 { // by counting lines
			t.Errorf("%d synsets", l.Synsets())
		}
		if r := replacer(t, l, PaperConfig()); len(r.table.entries) < 500 {
			t.Errorf("%d forms", len(r.table.entries))
		}
	})
}

func BenchmarkWordNet(b *testing.B) {
	l := princeton(b)
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			replacer(b, l, PaperConfig())
		}
	})
	b.Run("replace", func(b *testing.B) {
		r := replacer(b, l, PaperConfig())
		const text = "The former solution is usually not recommended, since the computer provides fewer programs, which require larger disks; it is, however, permitted to begin with an attempt to separate the components. "
		_, words, _ := scan(nil, text)
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			r.Replace("id", text)
		}
		b.ReportMetric(float64(words)*float64(b.N)/b.Elapsed().Seconds(), "words/s")
	})
}

// synonyms returns what may stand for a form in lower case, wherever it stands.
func (r *Replacer) synonyms(form string) []string {
	if e := r.table.entries[form]; e != nil {
		return e.replacements[anywhere]
	}
	return nil
}
