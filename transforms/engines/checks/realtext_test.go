package checks

import (
	"bufio"
	"encoding/csv"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sentweave/schemas/language"
	"sentweave/schemas/realdata"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/verbatim"
)

// pair is a text and a translation of it.
type pair struct {
	engines.Pair
	text, translation string
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines []string
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<22)
	for s.Scan() {
		lines = append(lines, strings.TrimSuffix(s.Text(), "\r"))
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

func code(t *testing.T, tag string) string {
	t.Helper()
	c, err := language.Parse(tag)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// bothWays appends a pair and its reverse; equal texts are none.
func bothWays(pairs []pair, source, target, text, translation string) []pair {
	if text == "" || translation == "" || equalTexts(text, translation) {
		return pairs
	}
	return append(pairs, pair{engines.Pair{Source: source, Target: target}, text, translation},
		pair{engines.Pair{Source: target, Target: source}, translation, text})
}

// tatoeba are sentences of people in 111 languages and English: all but Lingua Franca
// Nova, of which no table of languages says that it is written in two scripts.
func tatoeba(t *testing.T) (pairs []pair) {
	files, _ := filepath.Glob(filepath.Join(realdata.Folder(t, "tatoeba"), "tatoeba", "tatoeba.*-eng.eng"))
	for _, file := range files {
		tag := strings.Split(filepath.Base(file), ".")[1][:3]
		if tag == "lfn" {
			continue
		}
		english, other := readLines(t, file), readLines(t, strings.TrimSuffix(file, "eng")+tag)
		for i := range english {
			pairs = bothWays(pairs, "eng", code(t, tag), english[i], other[i])
		}
	}
	return pairs
}

// stsb are sentences of STS-B with their translations by DeepL into ten languages.
func stsb(t *testing.T) (pairs []pair) {
	folder := realdata.Folder(t, "stsb_multi_mt")
	table := func(tag, split string) [][]string {
		f, err := os.Open(filepath.Join(folder, "stsb_multi_mt", "stsb-"+tag+"-"+split+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	for _, split := range []string{"dev", "test"} {
		english := table("en", split)
		for _, tag := range []string{"de", "es", "fr", "it", "ja", "nl", "pl", "pt", "ru", "zh"} {
			seen := map[string]bool{}
			for i, row := range table(tag, split) {
				for column := range 2 {
					if text := english[i][column]; !seen[text] {
						seen[text] = true
						pairs = bothWays(pairs, "eng", code(t, tag), text, row[column])
					}
				}
			}
		}
	}
	return pairs
}

// mlqe are translations by machines of sentences of Wikipedia, those that people
// gave 85 of 100 points or more.
func mlqe(t *testing.T) (pairs []pair) {
	files, _ := filepath.Glob(filepath.Join(realdata.Folder(t, "mlqe"), "mlqe", "*", "*.tsv"))
	for _, file := range files {
		source, target, _ := strings.Cut(filepath.Base(filepath.Dir(file)), "-")
		for _, line := range readLines(t, file)[1:] {
			fields := strings.Split(line, "\t")
			if mean, err := strconv.ParseFloat(fields[4], 64); err == nil && mean >= 85 {
				pairs = bothWays(pairs, code(t, source), code(t, target), fields[1], fields[2])
			}
		}
	}
	return pairs
}

var (
	paragraph = regexp.MustCompile(`(?s)<div class="para">(.*?)</div>`)
	markup    = regexp.MustCompile(`<[^>]*>`)
)

// handbook are the paragraphs of the Debian handbook in 26 languages, by people.
func handbook(t *testing.T) (pairs []pair) {
	root := realdata.Variable(t, "SENTWEAVE_HANDBOOK")
	page := func(file string) (texts []string) {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil
		}
		for _, m := range paragraph.FindAllSubmatch(data, -1) {
			texts = append(texts, strings.Join(strings.Fields(html.UnescapeString(markup.ReplaceAllString(string(m[1]), ""))), " "))
		}
		return texts
	}
	files, _ := filepath.Glob(filepath.Join(root, "en-US", "*.html"))
	folders, _ := filepath.Glob(filepath.Join(root, "??-??"))
	for _, folder := range folders {
		for _, file := range files {
			english, other := page(file), page(filepath.Join(folder, filepath.Base(file)))
			if len(english) != len(other) || filepath.Base(folder) == "en-US" {
				continue
			}
			for i := range english {
				pairs = bothWays(pairs, "eng", code(t, filepath.Base(folder)), english[i], other[i])
			}
		}
	}
	return pairs
}

// TestRealTranslations counts the translations by people and good machines that are
// rejected, and the losses, put into the accepted ones, that are caught.
//
// Most of what is rejected in these, Tatoeba apart, is wrong indeed: other years, other editions, a
// zero too many. So the ceilings are above the share of good ones that are rejected.
func TestRealTranslations(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it takes 10 seconds, and a minute with the handbook")
	}
	for _, tt := range []struct {
		name  string
		pairs func(*testing.T) []pair
		most  map[Verdict]int    // rejected at most, of a million pairs
		least map[string]float64 // caught at least, percent
	}{
		{"tatoeba", tatoeba, map[Verdict]int{LostNumber: 260, LostPlaceholder: 0, WrongLanguage: 70, LengthRatio: 440},
			map[string]float64{"digit": 99, "zero": 99, "number": 75, "thousand": 70}},
		{"stsb", stsb, map[Verdict]int{LostNumber: 300, LostPlaceholder: 10, WrongLanguage: 10, LengthRatio: 410},
			map[string]float64{"digit": 99, "zero": 99, "number": 96, "thousand": 99, "placeholder": 100}},
		{"mlqe", mlqe, map[Verdict]int{LostNumber: 1800, LostPlaceholder: 160, WrongLanguage: 0, LengthRatio: 0},
			map[string]float64{"digit": 99, "zero": 99, "number": 90, "thousand": 95}},
		{"handbook", handbook, map[Verdict]int{LostNumber: 920, LostPlaceholder: 3600, WrongLanguage: 190, LengthRatio: 1100},
			map[string]float64{"digit": 99, "zero": 90, "number": 92, "thousand": 95, "placeholder": 100}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := NewChecker(DefaultConfig(), nil)
			if err != nil {
				t.Fatal(err)
			}
			rejected, of := map[Verdict]int{}, map[string]int{}
			caught, tried := map[string]int{}, map[string]int{}
			pairs := tt.pairs(t)
			for _, p := range pairs {
				verdict := c.Check(p.Pair, p.text, p.translation)
				rejected[verdict]++
				if verdict != OK {
					of[p.Source+"-"+p.Target+" "+string(verdict)]++
					continue
				}
				for loss, worse := range losses(p) {
					tried[loss]++
					if c.Check(p.Pair, p.text, worse) != OK {
						caught[loss]++
					}
				}
			}
			for verdict, most := range tt.most {
				if share := rejected[verdict] * 1000000 / len(pairs); share > most {
					t.Errorf("%s: %d of %d, %d of a million, want at most %d", verdict, rejected[verdict], len(pairs), share, most)
				}
			}
			for loss, least := range tt.least {
				if share := 100 * float64(caught[loss]) / float64(tried[loss]); !(share >= least) {
					t.Errorf("%s: %d of %d caught, %.1f %%, want %v %%", loss, caught[loss], tried[loss], share, least)
				}
			}
			t.Logf("%d pairs: %v; caught %v of %v", len(pairs), rejected, caught, tried)
			t.Logf("by languages: %v", of)
		})
	}
}

var digitRun = regexp.MustCompile(`[0-9](?:[0-9.,:]*[0-9])+`)

// losses returns the translation without its first number, with one digit of it
// changed, without its last zero, without three zeros, and without its first placeholder:
// of what is in both texts just once.
func losses(p pair) map[string]string {
	found := map[string]string{}
	once := func(part string) bool {
		return part != "" && strings.Count(p.translation, part) == 1 && strings.Count(p.text, part) == 1
	}
	if n := digitRun.FindString(p.translation); once(n) && slices.Contains(digitRun.FindAllString(p.text, -1), n) {
		put := func(loss, by string) { found[loss] = strings.Replace(p.translation, n, by, 1) }
		put("number", "")
		middle := len(n) / 2
		if d := n[middle]; d >= '0' && d <= '9' {
			put("digit", n[:middle]+string('0'+(d-'0'+1)%10)+n[middle+1:])
		}
		if strings.HasSuffix(n, "0") && !strings.ContainsAny(n, ".,:") {
			put("zero", n[:len(n)-1])
		}
		if rest := strings.TrimRight(strings.TrimSuffix(n, "000"), ".,"); rest != "" && len(rest) < len(n)-2 && len(rest) <= 3 {
			put("thousand", rest)
		}
	}
	if s := verbatim.Placeholder.FindString(p.translation); once(s) && slices.Contains(verbatim.Placeholder.FindAllString(p.text, -1), s) {
		found["placeholder"] = strings.Replace(p.translation, s, "", 1)
	}
	return found
}
