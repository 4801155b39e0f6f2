package learner

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/unigram"
	"sentweave/transforms/tokens/wordpiece/learner"
)

// most is how many sentences of a language a test takes.
func most(sentences int) int {
	if testing.Short() {
		return min(sentences, 60)
	}
	return sentences
}

// wordsOf counts words.
func wordsOf(lines []string, take func(word string) bool) []Word {
	var c learner.Counts
	for splitter := unigram.NewSplitter(); len(lines) > 0; lines = lines[1:] {
		for word := range splitter.Words(lines[0]) {
			if take(string(word)) {
				c.Add(string(word), "all", 1)
			}
		}
	}
	return c.Smoothed(1, 0, math.MaxInt)
}

// peer returns the pieces that SentencePiece learns, from our seeds if there are any.
func peer(t testing.TB, words []Word, size int, seeds [][2]any) (pieces []unigram.Piece) {
	t.Helper()
	list := [][2]any{}
	for _, w := range words {
		list = append(list, [2]any{w.Text, w.Count})
	}
	var rows [][2]any
	peertest.Answer(t, map[string]any{"words": list, "size": size, "seeds": seeds}, &rows, peertest.Python(t, "sentencepiece"),
		filepath.Join("testdata", "peer.py"))
	for _, row := range rows {
		pieces = append(pieces, unigram.Piece{Text: row[0].(string), Score: row[1].(float64)})
	}
	return pieces
}

func tokenizerOf(t testing.TB, pieces []unigram.Piece) (tokens.Tokenizer, []byte) {
	t.Helper()
	file, err := unigram.Serialize(pieces)
	if err != nil {
		t.Fatal(err)
	}
	s, err := unigram.ReadSerialized(file)
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Vocabulary()
	if err != nil {
		t.Fatal(err)
	}
	return v.(tokens.Tokenizer), file
}

// Words of letters that are frequent, so that no character is lost on the way, give the pieces and scores of SentencePiece from the same
// seeds, and words outside have as many of ours, from our own seeds, as of its.
func TestPeer(t *testing.T) {
	peertest.Python(t, "sentencepiece")
	const size, special = 1500, 3
	number := 0
	var heldOut []string
	lines := slices.DeleteFunc(realdata.Tatoeba(t, most(300)), func(line string) bool {
		if number++; number%2 == 0 {
			heldOut = append(heldOut, line)
		}
		return number%2 == 0
	})
	take := func(word string) bool {
		return !strings.ContainsFunc(word, func(r rune) bool { return !strings.ContainsRune("abcdefghiklmnoprstuvwy.", r) })
	}
	words := wordsOf(lines, take)
	var seeds [][2]any
	text := newText(words, 1, &Result{})
	suffixes, _ := text.suffixes()
	for _, i := range text.frequent(suffixes, 1_000_000) {
		seeds = append(seeds, [2]any{text.string(suffixes[i.from], i.depth), i.count})
	}
	r, err := Learn(t.Context(), words, Config{Size: size - special + unigram.Reserved, Coverage: 1, Seeds: 1_000_000}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]float64{}
	for _, p := range r.Pieces {
		ours[p.Text] = p.Score
	}
	common, difference := 0, 0.
	for _, p := range peer(t, words, size, seeds) {
		if score, ok := ours[p.Text]; ok {
			common++
			difference += math.Abs(score - p.Score)
		}
	}
	difference /= float64(common)
	t.Logf("%d words, %d seeds: %d of %d pieces in common, scores differ by %.5f", len(words), len(seeds), common, len(ours), difference)
	if common < len(ours)*99/100 || difference > .005 {
		t.Errorf("%d of %d pieces in common, with scores that differ by %v", common, len(ours), difference)
	}
	own, _ := tokenizerOf(t, r.Pieces)
	other, _ := tokenizerOf(t, peer(t, words, size, nil))
	var counts [2]int
	for _, w := range wordsOf(heldOut, take) {
		for i, tokenizer := range []tokens.Tokenizer{own, other} {
			counts[i] += int(w.Count) * len(tokenizer.Encode(nil, w.Text))
		}
	}
	t.Logf("%d pieces of ours in other words, %d of SentencePiece's", counts[0], counts[1])
	if float64(counts[0]) > 1.005*float64(counts[1]) {
		t.Errorf("%d pieces in words that were not learned from, SentencePiece has %d", counts[0], counts[1])
	}
}

// Ids of a learned vocabulary are those of Hugging Face tokenizers with the same file.
func TestPeerIDs(t *testing.T) {
	python := peertest.Python(t, "tokenizers")
	number := 0
	lines := slices.DeleteFunc(realdata.Tatoeba(t, most(1000)), func(string) bool {
		number++
		return number%4 != 0
	})
	words := wordsOf(lines[:min(len(lines), 20_000)], func(string) bool { return true })
	r, err := Learn(t.Context(), words, Config{Size: 4000, Coverage: .9995, Seeds: 100_000}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, file := tokenizerOf(t, r.Pieces)
	path := filepath.Join(t.TempDir(), "tokenizer.json")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range len(lines) / 4 {
		var b strings.Builder
		for range random.IntN(20) {
			if random.IntN(3) == 0 {
				b.WriteRune(rune(1 + random.IntN(0x3000)))
			} else {
				b.WriteString([]string{"a", "é", "e\u0301", "ﬁ", "①", "▁", " ", "\u00a0", "\u3000", "中", "\u200d", "<s>"}[random.IntN(12)])
			}
		}
		lines = append(lines, b.String())
	}
	output := peertest.Output(t, peertest.Lines(t, lines), python, filepath.Join("..", "testdata", "peer.py"), path, "spans")
	differ := 0
	for i, want := range strings.Split(strings.TrimSuffix(string(output), "\n"), "\n") {
		var ids []int32
		for _, field := range strings.Fields(want) {
			var id int32
			if err := json.Unmarshal([]byte(field[:strings.IndexByte(field, ':')]), &id); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		if got := tokenizer.Encode(nil, lines[i]); !slices.Equal(got, ids) {
			if differ++; differ < 5 {
				t.Errorf("%q: ours is %v, the peer's %v", lines[i], got, ids)
			}
		}
	}
	t.Logf("%d of %d texts differ", differ, len(lines))
}
