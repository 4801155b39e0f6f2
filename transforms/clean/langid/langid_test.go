package langid

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"sentweave/schemas/language"
	"sentweave/schemas/realdata"
	"sentweave/transforms/clean/langid/fasttext"
)

func openLID176(tb testing.TB) *FastText {
	tb.Helper()
	path := realdata.Variable(tb, "SENTWEAVE_LID176")
	f, err := OpenFastText(path)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func TestIdentifyWithLID176(t *testing.T) {
	f := openLID176(t)
	tests := []struct{ text, want string }{
		{"The rain stopped before we reached the harbour.", "eng"},
		{"Der Regen hörte auf, bevor wir den Hafen erreichten.", "deu"},
		{"La pluie s'est arrêtée avant que nous arrivions au port.", "fra"},
		{"Дождь прекратился до того, как мы дошли до гавани.", "rus"},
		{"Det sluttet å regne før vi kom fram til havna, så vi gikk en tur likevel.", "nor"},
		{"雨停了，我们才走到港口。", "zho"},
		{"港に着く前に雨はやんだ。", "jpn"},
		{"توقف المطر قبل أن نصل إلى الميناء.", "ara"},
		{"line one\nof a text\nin two lines", "eng"},
		{"", "und"},
		{" \t\n", "und"},
		{"12 + 34 = 46 !?", "und"},
		{"😀😀", "und"},
	}
	clone := f.Clone()
	for _, test := range tests {
		got, score := f.Identify(test.text)
		if got != test.want || score < 0 || score > 1 || (got == language.Undetermined) != (score == 0) {
			t.Errorf("Identify(%q) = %q %v, want %q", test.text, got, score, test.want)
		}
		if again, second := clone.Identify(test.text); again != got || second != score {
			t.Errorf("the clone says %q %v of %q, not %q %v", again, second, test.text, got, score)
		}
		top := f.Top(nil, test.text, 3)
		if got == language.Undetermined {
			if len(top) != 0 {
				t.Errorf("Top(%q) = %v", test.text, top)
			}
		} else if len(top) != 3 || top[0] != (Guess{got, score}) || top[1].Score < top[2].Score {
			t.Errorf("Top(%q) = %v, Identify says %q %v", test.text, top, got, score)
		}
	}
	if n := testing.AllocsPerRun(100, func() { f.Identify(tests[0].text) }); n != 0 {
		t.Errorf("Identify allocates %v times", n)
	}
}

// softmaxModel builds a model of one dimension, with the word "a" and labels.
func softmaxModel(t *testing.T, labels ...string) *fasttext.Model {
	t.Helper()
	var f bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			if s, ok := v.(string); ok {
				f.WriteString(s + "\x00")
			} else if err := binary.Write(&f, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(int32(793712314), int32(12), []int32{1, 5, 5, 1, 5, 1, 3, 3, 0, 0, 0, 100}, float64(0))
	put(int32(1+len(labels)), int32(1), int32(len(labels)), int64(9), int64(-1), "a", int64(5), int8(0))
	for _, label := range labels {
		put("__label__"+label, int64(1), int8(1))
	}
	put(false, int64(1), int64(1), float32(1), false, int64(len(labels)), int64(1))
	for i := range labels {
		put(float32(i))
	}
	m, err := fasttext.Read(&f, int64(f.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestNewFastText(t *testing.T) {
	f, err := NewFastText(softmaxModel(t, "en", "zho_Hant"))
	if err != nil {
		t.Fatal(err)
	}
	want := math.E / (1 + math.E)
	if got, score := f.Identify("a 安"); got != "zho_Hant" || math.Abs(float64(score)-want) > 3e-5 {
		t.Errorf(`Identify("a 安") = %q %v, want zho_Hant %.5f`, got, score, want)
	}
	if got, score := f.Identify("unknown"); got != language.Undetermined || score != 0 {
		t.Errorf(`Identify("unknown") = %q %v, want und: the model knows no part of it`, got, score)
	}
	_, err = NewFastText(softmaxModel(t, "en", "spam", "ham1"))
	if err == nil || !strings.Contains(err.Error(), `"spam"`) || !strings.Contains(err.Error(), `"ham1"`) {
		t.Errorf("error %v, want one that names both labels", err)
	}
}
