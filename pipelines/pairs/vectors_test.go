package pairs_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pairs"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
)

var aligning = []string{"--kind", "parallel", "--align", "--embeddings"}

// The German version of a page has one paragraph more than the others. Vectors say that the blocks of one ordinal translate each other
// all the same, against lengths and words.
func TestAlignedByVectors(t *testing.T) {
	docs := documents(t, pipelinetest.Corpus{Pages: 9, Paragraphs: 4}.Write(t))
	count := func(rows []schemas.Pair) (same, other int) {
		for _, p := range rows {
			if p.Score != nil && *p.PositionA == *p.PositionB {
				same++
			} else if p.Score != nil {
				other++
			}
		}
		return same, other
	}
	without, _ := make(t, docs, "--kind", "parallel", "--align")
	if same, other := count(without); other <= same {
		t.Errorf("without vectors %d pairs of blocks of one ordinal, and %d others: vectors need not decide", same, other)
	}
	rows, m := make(t, docs, append(aligning, pipelinetest.VectorsOf(t, docs, nil))...)
	if same, other := count(rows); same < 10 || other > 0 {
		t.Errorf("%d pairs of blocks of one ordinal, and %d others", same, other)
	}
	var sentences int64
	for _, n := range m.Funnel.Out("sentences") {
		sentences += n
	}
	for reason, change := range map[string]func(*schemas.Embedding){
		"zero_vector":     func(e *schemas.Embedding) { clear(e.Vector) },
		"other_dimension": func(e *schemas.Embedding) { e.Vector = e.Vector[1:] },
	} {
		first := ""
		rows, m := make(t, docs, append(aligning, pipelinetest.VectorsOf(t, docs, func(e *schemas.Embedding) {
			if first == "" || first == e.ID {
				first = e.ID
			} else {
				change(e)
			}
		}))...)
		if dropped := pipelinetest.Dropped(m)["sentences vectors "+reason]; dropped != sentences-1 || !cmp.Equal(rows, without) {
			t.Errorf("%s: %d of %d sentences dropped, rows as without vectors: %v", reason, dropped, sentences, cmp.Equal(rows, without))
		}
	}
}

func TestBadVectors(t *testing.T) {
	docs, _ := pipelinetest.Documents{Shards: 1, PerShard: 3, Sentences: 2, Layout: "{language}/{page}.txt"}.Write(t)
	others, _ := pipelinetest.Documents{Shards: 1, PerShard: 4, Sentences: 2, Layout: "{language}/{page}.txt"}.Write(t)
	for want, embeddings := range map[string]string{
		"its vectors are not those of these texts: make them by": pipelinetest.VectorsOf(t, others, nil),
		"has codes of bits and no vectors": pipelinetest.VectorsOf(t, docs, func(e *schemas.Embedding) {
			e.Vector, e.Bits = nil, []byte{1}
		}),
		"/1: its vectors are not those of these texts": pipelinetest.VectorsOf(t, docs, func(e *schemas.Embedding) {
			e.ID = strings.Replace(e.ID, "/1", "/2", 1)
		}),
		"holds rows of document": docs,
	} {
		c := pipelinetest.Parse[pairs.Config](t, append(append([]string{"--documents", docs}, aligning...), embeddings)...)
		if err := pipelinetest.Fails(t, c, pipelinetest.Settings(1)); !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// embed divides shards of more than a group of rows, which stay together here.
func TestUnitsOfVectors(t *testing.T) {
	const pages = 2001
	docs, _ := pipelinetest.Documents{Shards: 2, PerShard: pages, Sentences: 1, Layout: "{language}/{page}.txt"}.Write(t)
	_, m := make(t, docs, append(aligning, pipelinetest.VectorsOf(t, docs, nil))...)
	if n := m.Funnel.Out("sentences")["eng"]; n != 2*pages || m.Plan.Units != 2 {
		t.Errorf("%d units, %d vectors", m.Plan.Units, n)
	}
}
