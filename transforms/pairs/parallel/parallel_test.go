package parallel

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"sentweave/schemas"
)

// Self-written paragraphs of one page in three languages.
var (
	english = []string{"Backups protect your data.", "A disk can fail without any warning. Copy what you need to another place.",
		"Test the copy every month."}
	spanish = []string{"Las copias protegen sus datos.", "Un disco puede fallar sin previo aviso. Copie lo que necesita a otro lugar.",
		"Pruebe la copia cada mes."}
	chinese = []string{"备份可以保护您的数据。", "磁盘可能会毫无预警地损坏。请把需要的内容复制到别处。", "每个月都要检查备份。"}
)

// pageOf makes a page of paragraphs: one block each; "" is a block without text.
// A paragraph is cut into sentences behind full stops; a sentence "_" was taken
// by a filter.
func pageOf(language string, paragraphs []string, edit ...func(*schemas.Document)) Page {
	d := schemas.Document{ID: schemas.ID(language, 0), Language: language}
	position := int32(0)
	for block, paragraph := range paragraphs {
		from, before := len(d.Sentences), position
		for _, text := range strings.SplitAfter(strings.ReplaceAll(paragraph, "。", "。\n"), ". ") {
			for _, text := range strings.Split(strings.TrimSpace(text), "\n") {
				if text == "" {
					continue
				}
				if text != "_." && text != "_" {
					d.Sentences = append(d.Sentences,
						schemas.Sentence{Text: text, Language: language, LanguageScore: .9, Block: int32(block), Position: position})
				}
				position++
			}
		}
		for i := range d.Sentences[from:] {
			d.Sentences[from+i].BlockSentences = position - before
		}
	}
	d.Scores = []schemas.Score{{Name: schemas.BlocksScore, Value: float32(len(paragraphs))}}
	for _, e := range edit {
		e(&d)
	}
	return Page{Language: language, Document: d}
}

func joiner(t testing.TB, edit func(*Config)) *Joiner {
	t.Helper()
	c := DefaultConfig()
	if edit != nil {
		edit(&c)
	}
	j, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// describe writes what came of every block: "eng-spa 0" or "eng-spa 0 missing".
func describe(r *Result) string {
	type line struct {
		block    int32
		text     string
		a, b     string
		sentence int
	}
	var lines []line
	for i, p := range r.Pairs {
		lines = append(lines, line{*p.PositionA, fmt.Sprintf("%s-%s %d", p.LanguageA, p.LanguageB, *p.PositionA), p.LanguageA, p.LanguageB,
			i})
	}
	for _, d := range r.Drops {
		lines = append(lines, line{d.Block, fmt.Sprintf("%s-%s %d %s", d.LanguageA, d.LanguageB, d.Block, d.Reason), d.LanguageA,
			d.LanguageB, 0})
	}
	slices.SortStableFunc(lines, func(a, b line) int {
		return strings.Compare(fmt.Sprintf("%08d%s%s", a.block, a.a, a.b), fmt.Sprintf("%08d%s%s", b.block, b.a, b.b))
	})
	var out []string
	for _, l := range lines {
		out = append(out, l.text)
	}
	return strings.Join(out, ", ")
}

// replaced returns a copy of paragraphs with one changed.
func replaced(paragraphs []string, i int, text string) []string {
	out := slices.Clone(paragraphs)
	out[i] = text
	return out
}

func TestJoin(t *testing.T) {
	blocks := func(n float32) func(*schemas.Document) {
		return func(d *schemas.Document) { d.Scores[0].Value = n }
	}
	sentence := func(i int, language string, score float32) func(*schemas.Document) {
		return func(d *schemas.Document) {
			d.Sentences[i].Language, d.Sentences[i].LanguageScore = language, score
		}
	}
	uncounted := func(d *schemas.Document) {
		for i := range d.Sentences {
			d.Sentences[i].BlockSentences = 0
		}
	}
	tests := []struct {
		name  string
		edit  func(*Config)
		pages []Page
		want  string
	}{
		{"no page", nil, nil, ""},
		{"one page", nil, []Page{pageOf("eng", english)}, ""},
		{"two languages", nil, []Page{pageOf("eng", english), pageOf("spa", spanish)}, "eng-spa 0, eng-spa 1, eng-spa 2"},
		{"three languages, any order", nil, []Page{pageOf("zho", chinese), pageOf("eng", english), pageOf("spa", spanish)},
			"eng-spa 0, eng-zho 0, spa-zho 0, eng-spa 1, eng-zho 1, spa-zho 1, eng-spa 2, eng-zho 2, spa-zho 2"},
		{"a pivot", func(c *Config) { c.Pivot = "spa" },
			[]Page{pageOf("zho", chinese[:1]), pageOf("eng", english[:1]), pageOf("spa", spanish[:1])}, "eng-spa 0, spa-zho 0"},
		{"other number of blocks", nil, []Page{pageOf("eng", english), pageOf("spa", spanish[:2])},
			"eng-spa 0 mismatched, eng-spa 1 mismatched, eng-spa 2 mismatched"},
		{"blocks before filters count", nil, []Page{pageOf("eng", english, blocks(4)), pageOf("spa", spanish)},
			"eng-spa 0 mismatched, eng-spa 1 mismatched, eng-spa 2 mismatched"},
		{"only one language is mismatched", nil,
			[]Page{pageOf("eng", english[:1]), pageOf("spa", spanish[:1]), pageOf("zho", chinese[:1], blocks(2))},
			"eng-spa 0, eng-zho 0 mismatched, spa-zho 0 mismatched"},
		{"number of blocks unknown", nil,
			[]Page{pageOf("eng", english[:1], func(d *schemas.Document) { d.Scores = nil }),
				pageOf("spa", spanish[:1], func(d *schemas.Document) { d.Scores = nil })}, "eng-spa 0 mismatched"},
		{"a block is missing", nil, []Page{pageOf("eng", replaced(english, 1, "")), pageOf("spa", spanish)},
			"eng-spa 0, eng-spa 1 missing, eng-spa 2"},
		{"a block is missing on both sides", nil, []Page{pageOf("eng", replaced(english, 1, "")), pageOf("spa", replaced(spanish, 1, ""))},
			"eng-spa 0, eng-spa 2"},
		{"a block was taken as a whole", nil, []Page{pageOf("eng", replaced(english, 1, "_. _")), pageOf("spa", spanish)},
			"eng-spa 0, eng-spa 1 missing, eng-spa 2"},
		{"a sentence was taken out of the middle", nil,
			[]Page{pageOf("eng", replaced(english, 1, "A disk can fail. _. Copy what you need.")), pageOf("spa", spanish)},
			"eng-spa 0, eng-spa 1 incomplete, eng-spa 2"},
		{"a sentence was taken off the start", nil, []Page{pageOf("eng", replaced(english, 1, "_. Copy what you need to another place.")),
			pageOf("spa", spanish)}, "eng-spa 0, eng-spa 1 incomplete, eng-spa 2"},
		{"a sentence was taken off the end", nil, []Page{pageOf("eng", replaced(english, 1, "A disk can fail without any warning. _.")),
			pageOf("spa", spanish)}, "eng-spa 0, eng-spa 1 incomplete, eng-spa 2"},
		{"off the end of the page", nil,
			[]Page{pageOf("eng", english), pageOf("spa", replaced(spanish, 2, "Pruebe la copia cada mes. _."))},
			"eng-spa 0, eng-spa 1, eng-spa 2 incomplete"},
		{"beside a block that is gone", nil,
			[]Page{pageOf("eng", []string{english[0] + " _.", "_.", "_. " + english[2]}),
				pageOf("spa", []string{spanish[0], "_.", spanish[2]})}, "eng-spa 0 incomplete, eng-spa 2 incomplete"},
		{"on both sides", nil, []Page{pageOf("eng", []string{english[0] + " _."}), pageOf("spa", []string{spanish[0] + " _."})},
			"eng-spa 0 incomplete"},
		{"uncounted, between two blocks: neither is trusted", nil,
			[]Page{pageOf("eng", replaced(english, 1, "A disk can fail without any warning. _."), uncounted), pageOf("spa", spanish)},
			"eng-spa 0, eng-spa 1 incomplete, eng-spa 2 incomplete"},
		{"uncounted, out of the middle", nil,
			[]Page{pageOf("eng", replaced(english, 1, "A disk can fail. _. Copy what you need."), uncounted), pageOf("spa", spanish)},
			"eng-spa 0, eng-spa 1 incomplete, eng-spa 2"},
		{"uncounted, the first sentence of the page", nil,
			[]Page{pageOf("eng", replaced(english, 0, "_. Backups protect your data."), uncounted), pageOf("spa", spanish)},
			"eng-spa 0 incomplete, eng-spa 1, eng-spa 2"},
		{"uncounted, a block was taken as a whole", nil,
			[]Page{pageOf("eng", replaced(english, 1, "_. _"), uncounted), pageOf("spa", spanish)},
			"eng-spa 0, eng-spa 1 missing, eng-spa 2"},
		{"the first sentence of the page", nil,
			[]Page{pageOf("eng", replaced(english, 0, "_. Backups protect your data.")), pageOf("spa", spanish)},
			"eng-spa 0 incomplete, eng-spa 1, eng-spa 2"},
		{"incomplete blocks are kept", func(c *Config) { c.KeepIncomplete = true },
			[]Page{pageOf("eng", replaced(english, 0, "_. Backups protect your data.")), pageOf("spa", spanish)},
			"eng-spa 0, eng-spa 1, eng-spa 2"},
		{"too short", nil, []Page{pageOf("eng", []string{"Contents", english[0]}), pageOf("spa", []string{"Contenido", spanish[0]})},
			"eng-spa 0 too_short, eng-spa 1"},
		{"short Chinese text says enough", nil, []Page{pageOf("eng", []string{"Data backups"}), pageOf("zho", []string{"数据备份"})},
			"eng-zho 0"},
		{"untranslated", nil, []Page{pageOf("eng", english), pageOf("spa", replaced(spanish, 1, english[1]))},
			"eng-spa 0, eng-spa 1 untranslated, eng-spa 2"},
		{"untranslated but for signs and case", nil,
			[]Page{pageOf("eng", []string{"apt-get install: PACKAGE"}), pageOf("spa", []string{"apt-get  install «package»"})},
			"eng-spa 0 untranslated"},
		{"left in English but for the reference", nil,
			[]Page{pageOf("eng", []string{
				"Read the notes on mirrors and their keys before you start, and keep a copy of the list of packages (see Section 4.2)."}),
				pageOf("deu", []string{"Read the notes on mirrors and their keys before you start, and keep a copy of the list of packages (siehe Abschnitt 4.2)."})},
			"deu-eng 0 untranslated"},
		{"left in English but for a name", nil,
			[]Page{pageOf("eng", []string{
				"Write to the team at https://lists.example.org/ or ask on the channel of Oakwood, where somebody will answer within a day."}),
				pageOf("fra", []string{"Write to the team at https://listes.example.org/ or ask on the channel of « Elmwood », where somebody will answer within a day."})},
			"eng-fra 0 untranslated"},
		{"left in English in two others", nil,
			[]Page{pageOf("fra", []string{
				"Read the notes on mirrors and keys before you copy the packages to another place (voir section 4)."}),
				pageOf("deu", []string{"Read the notes on mirrors and keys before you copy the packages to another place (siehe Kapitel 4)."})},
			"deu-fra 0 untranslated"},
		{"a title and a number", nil, []Page{pageOf("eng", []string{"Oakwood 12 for servers"}),
			pageOf("deu", []string{"Oakwood 12 für Server"})}, "deu-eng 0"},
		{"a command and its words", nil, []Page{pageOf("eng", []string{"Install it with apt-get install backup-tools as root."}),
			pageOf("deu", []string{"Installieren Sie es als root mit apt-get install backup-tools."})}, "deu-eng 0"},
		{"names and words", nil, []Page{pageOf("eng", []string{"The keepers are Anna Berger, Jonas Lind and Marta Sousa."}),
			pageOf("spa", []string{"Los responsables son Anna Berger, Jonas Lind y Marta Sousa."})}, "eng-spa 0"},
		{"related words", nil, []Page{pageOf("dan", []string{"Sikkerhedskopier beskytter dine data mod fejl på disken."}),
			pageOf("nob", []string{"Sikkerhetskopier beskytter dine data mot feil på disken."})}, "dan-nob 0"},
		{"languages that are taken for each other may be near", nil,
			[]Page{pageOf("bos", []string{"Sigurnosne kopije štite sve vaše podatke i vrijeme."}),
				pageOf("hrv", []string{"Sigurnosne kopije štite sve vaše podatke i vreme."})}, "bos-hrv 0"},
		{"but not equal", nil, []Page{pageOf("bos", []string{"Sigurnosne kopije štite sve vaše podatke."}),
			pageOf("hrv", []string{"Sigurnosne kopije štite sve vaše podatke!"})}, "bos-hrv 0 untranslated"},
		{"only equal words are dropped", func(c *Config) { c.MaxOverlap = 1 },
			[]Page{pageOf("eng", []string{"Read all of the notes on mirrors (see 4.2)."}),
				pageOf("deu", []string{"Read all of the notes on mirrors (siehe 4.2)."})}, "deu-eng 0"},
		{"signs only", nil, []Page{pageOf("eng", []string{"-----------"}), pageOf("spa", []string{"***********"})},
			"eng-spa 0 untranslated"},
		{"left in English", nil, []Page{
			pageOf("spa", replaced(spanish, 1, "Disks fail. Copy all that you need."), sentence(1, "eng", .9), sentence(2, "eng", .8)),
			pageOf("zho", chinese)}, "spa-zho 0, spa-zho 1 wrong_language, spa-zho 2"},
		{"perhaps English", nil, []Page{pageOf("spa", spanish, sentence(0, "eng", .4)), pageOf("zho", chinese)},
			"spa-zho 0, spa-zho 1, spa-zho 2"},
		{"unknown language", nil, []Page{pageOf("spa", spanish, sentence(0, "und", 1)), pageOf("zho", chinese)},
			"spa-zho 0, spa-zho 1, spa-zho 2"},
		{"the smaller part in English", nil, []Page{pageOf("spa", spanish, sentence(2, "eng", 1)), pageOf("zho", chinese)},
			"spa-zho 0, spa-zho 1, spa-zho 2"},
		{"a script is not another language", nil,
			[]Page{pageOf("spa", spanish[:1]), pageOf("zho", chinese[:1], sentence(0, "zho_Hans", 1))}, "spa-zho 0"},
		{"another script is", nil, []Page{pageOf("spa", spanish[:1]), pageOf("zho_Hant", chinese[:1], sentence(0, "zho_Hans", 1))},
			"spa-zho_Hant 0 wrong_language"},
		{"languages that are taken for each other", nil,
			[]Page{pageOf("hrv", []string{"Sigurnosne kopije štite podatke."}, sentence(0, "bos", 1)), pageOf("spa", spanish[:1])},
			"hrv-spa 0"},
		{"unlike lengths", nil, []Page{pageOf("eng", english), pageOf("spa", replaced(spanish, 0, spanish[1]+" "+spanish[0]))},
			"eng-spa 0 length_ratio, eng-spa 1, eng-spa 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := joiner(t, tt.edit)
			var r Result
			j.Join(&r, "chapter/backup", "handbook", tt.pages)
			if got := describe(&r); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if r.Joined != len(r.Pairs) {
				t.Errorf("%d joined, %d pairs", r.Joined, len(r.Pairs))
			}
			for _, p := range r.Pairs {
				if err := p.Validate(); err != nil {
					t.Error(err)
				}
			}
			for _, d := range r.Drops {
				if !slices.Contains(reasons(), d.Reason) {
					t.Errorf("reason %q is not listed", d.Reason)
				}
			}
		})
	}
}

func TestRows(t *testing.T) {
	var r Result
	joiner(t, nil).Join(&r, "backup", "handbook", []Page{pageOf("zho", chinese), pageOf("eng", english), pageOf("spa", spanish)})
	p := r.Pairs[4] // block 1, eng-zho
	if p.TextA != english[1] || p.TextB != "磁盘可能会毫无预警地损坏。 请把需要的内容复制到别处。" {
		t.Errorf("texts %q, %q", p.TextA, p.TextB)
	}
	if p.LanguageA != "eng" || p.LanguageB != "zho" || p.DocumentA != schemas.ID("eng", 0) || p.DocumentB != schemas.ID("zho", 0) ||
		p.Origin != "handbook" || *p.PositionA != 1 || *p.PositionB != 1 {
		t.Errorf("row %+v", p)
	}
	groups, ids := map[uint64]int32{}, map[string]bool{}
	for _, p := range r.Pairs {
		if block, ok := groups[*p.Group]; ok && block != *p.PositionA {
			t.Errorf("blocks %d and %d have one group", block, *p.PositionA)
		}
		groups[*p.Group] = *p.PositionA
		ids[p.ID] = true
	}
	if len(groups) != 3 || len(ids) != 9 {
		t.Errorf("%d groups, %d ids; want 3 and 9", len(groups), len(ids))
	}
	if Group("backup", 1) == Group("backup", 2) || Group("backup", 1) == Group("backuq", 1) {
		t.Error("groups do not tell pages or blocks apart")
	}
}

func TestSentences(t *testing.T) {
	sentences := func(c *Config) { c.Sentences = true }
	texts := func(pages ...Page) string {
		var r Result
		joiner(t, sentences).Join(&r, "backup", "handbook", pages)
		if r.Joined != 1 {
			t.Fatalf("%d blocks joined, want 1", r.Joined)
		}
		var out []string
		ids := map[string]bool{}
		for _, p := range r.Pairs {
			out = append(out, p.TextA+" | "+p.TextB)
			ids[p.ID] = true
			if *p.Group != Group("backup", 0) || *p.PositionA != 0 {
				t.Errorf("group %d, position %d", *p.Group, *p.PositionA)
			}
		}
		if len(ids) != len(r.Pairs) {
			t.Error("two sentences have one id")
		}
		return strings.Join(out, "\n")
	}
	one := func(p Page, text string) Page { return pageOf(p.Language, []string{text}) }
	eng, spa := pageOf("eng", nil), pageOf("spa", nil)
	tests := []struct{ name, english, spanish, want string }{
		{"one by one", english[1], spanish[1],
			"A disk can fail without any warning. | Un disco puede fallar sin previo aviso.\nCopy what you need to another place. | Copie lo que necesita a otro lugar."},
		{"one sentence", english[0], spanish[0], english[0] + " | " + spanish[0]},
		{"other numbers", english[1], "Un disco puede fallar sin previo aviso; copie lo que necesita a otro lugar.",
			english[1] + " | Un disco puede fallar sin previo aviso; copie lo que necesita a otro lugar."},
		{"a short one", "Beware. " + english[0], "Cuidado. " + spanish[0], "Beware. " + english[0] + " | Cuidado. " + spanish[0]},
		{"shifted", "A disk can fail. " + english[1][37:] + " It is a pity, of course, and nobody likes it at all.",
			"Un disco puede fallar y nadie lo quiere, por supuesto, es una lástima. Copie los datos. Sin embargo.",
			"A disk can fail. " + english[1][37:] +
				" It is a pity, of course, and nobody likes it at all. | Un disco puede fallar y nadie lo quiere, por supuesto, es una lástima. Copie los datos. Sin embargo."},
		{"one is nearly untranslated", "Run apt-get update and upgrade first of all on the machine that serves the packages. " + english[0],
			"Run apt-get update and upgrade first of all on the machine that serves los paquetes. " + spanish[0],
			"Run apt-get update and upgrade first of all on the machine that serves the packages. " + english[0] +
				" | Run apt-get update and upgrade first of all on the machine that serves los paquetes. " + spanish[0]},
		{"one is untranslated", "Run apt-get update first. " + english[0], "Run apt-get update first. " + spanish[0],
			"Run apt-get update first. " + english[0] + " | Run apt-get update first. " + spanish[0]},
	}
	for _, tt := range tests {
		if got := texts(one(eng, tt.english), one(spa, tt.spanish)); got != tt.want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestSameWords(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"", "", true}, {"", "a", false}, {"a", "", false}, {"...", "!", true},
		{"Ab 1", "a B-1.", true}, {"ab", "abc", false}, {"ÉTÉ", "été", true}, {"e\u0301", "e", false},
		{"数据", "数据。", true}, {"数据", "資料", false},
	}
	for _, tt := range tests {
		if got := sameWords(tt.a, tt.b); got != tt.want {
			t.Errorf("%q, %q: %t", tt.a, tt.b, got)
		}
	}
}

func TestWeight(t *testing.T) {
	tests := []struct {
		text string
		want float64
	}{
		{"", 0}, {"abc d.", 6}, {"été", 3}, {"e\u0301", 1}, {"где", 3}, {"数据。", 7}, {"データ", 5}, {"데이터", 6}, {"หนังสือ", 5}, {"कि", 1},
		{"\xff", 1},
	}
	for _, tt := range tests {
		if got := Weight(tt.text); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.text, got, tt.want)
		}
	}
}

// Each character counts what the tables of Unicode make of it, among others and alone.
func TestWeightOfAll(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		want := 1.0
		switch {
		case !utf8.ValidRune(r):
			continue
		case unicode.Is(unicode.M, r):
			want = 0
		case unicode.Is(unicode.Han, r):
			want = 3
		case unicode.In(r, unicode.Hangul, unicode.Hiragana, unicode.Katakana):
			want = 2
		}
		if alone, among := Weight(string(r)), Weight("abcdefghi"+string(r)+"jk"); alone != want || among != want+11 {
			t.Errorf("%U: %v alone, %v among 11 letters, want %v", r, alone, among, want)
		}
	}
}

// BenchmarkWeight weighs a sentence of each of three scripts.
func BenchmarkWeight(b *testing.B) {
	for _, text := range []string{"Ein Mann fährt über die Straße, als ein Kind ruft.", "Мужчина идёт через улицу.", "一个男人正在过马路。"} {
		b.Run(strings.Fields(text)[0], func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Weight(text)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	_, err := New(Config{MinCharacters: -1, LengthSlack: -1, MaxOverlap: 1.5, MinLanguageScore: 2,
		Equivalent: [][]string{{"a", "b"}, {"b", ""}}})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"min_characters -1", "max_length_ratio 0", "length_slack -1", "max_overlap 1.5", "min_language_score 2",
		`"b" occurs twice`, "empty language"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q:\n%v", want, err)
		}
	}
}

// FuzzJoin makes two pages out of bytes and checks that every block and two
// languages is accounted for, whatever the order of the pages.
func FuzzJoin(f *testing.F) {
	f.Add([]byte{1, 2, 3, 70, 130}, []byte{1, 2, 3}, uint8(0))
	f.Add([]byte{0, 0, 255}, []byte{64, 64}, uint8(3))
	f.Fuzz(func(t *testing.T, x, y []byte, options uint8) {
		j := joiner(t, func(c *Config) { c.Sentences, c.KeepIncomplete = options&1 != 0, options&2 != 0 })
		build := func(language string, data []byte) Page {
			d := schemas.Document{ID: schemas.ID(language, 0), Scores: []schemas.Score{{Name: schemas.BlocksScore, Value: 300}}}
			block, position := int32(0), int32(-1)
			for i, b := range data {
				block += int32(b >> 6 & 1)
				position += 1 + int32(b>>7)
				d.Sentences = append(d.Sentences,
					schemas.Sentence{Text: fmt.Sprint(strings.Repeat(language, 1+int(b&15)), i), Language: language, LanguageScore: 1,
						Block: block, Position: position})
			}
			return Page{Language: language, Document: d}
		}
		a, b := build("eng", x), build("spa", y)
		var r, s Result
		j.Join(&r, "key", "origin", []Page{a, b})
		j.Join(&s, "key", "origin", []Page{b, a})
		blocks := map[int32]bool{}
		for _, p := range []Page{a, b} {
			for _, s := range p.Document.Sentences {
				blocks[s.Block] = true
			}
		}
		if r.Joined+len(r.Drops) != len(blocks) {
			t.Fatalf("%d joined and %d dropped of %d blocks", r.Joined, len(r.Drops), len(blocks))
		}
		if !slices.Equal(r.Drops, s.Drops) || len(r.Pairs) != len(s.Pairs) {
			t.Fatal("the order of the pages changes the result")
		}
		last := int32(-1)
		ids := map[string]bool{}
		for i, p := range r.Pairs {
			if err := p.Validate(); err != nil {
				t.Fatal(err)
			}
			if p.ID != s.Pairs[i].ID || p.TextA != s.Pairs[i].TextA || *p.PositionA < last || ids[p.ID] {
				t.Fatalf("pair %d is out of order, or repeated", i)
			}
			last, ids[p.ID] = *p.PositionA, true
		}
	})
}

func BenchmarkJoin(b *testing.B) {
	var pages []Page
	bytes := 0
	for _, language := range []string{"deu", "eng", "fra", "ita", "por", "spa", "zho"} {
		paragraphs := make([]string, 0, 60)
		for i := range 60 {
			text := english[1]
			switch language {
			case "zho":
				text = chinese[1]
			case "spa":
				text = spanish[1]
			}
			// Words that no other language has, or the block would be untranslated.
			text = strings.ReplaceAll(fmt.Sprint(language, " ", i, " ", text), " ", " "+language[:1])
			paragraphs = append(paragraphs, text)
			bytes += len(text)
		}
		pages = append(pages, pageOf(language, paragraphs))
	}
	j := joiner(b, nil)
	var r Result
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		j.Join(&r, "backup", "handbook", pages)
	}
}

// reasons lists the reasons in the order in which they are looked for.
func reasons() []string {
	return []string{ReasonMismatched, reasonMissing, reasonIncomplete, reasonTooShort, ReasonUntranslated, reasonWrongLanguage,
		reasonLengthRatio}
}
