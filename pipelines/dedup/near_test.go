package dedup_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/dedup"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
)

// passage makes sentences of eight words, of which no two are alike.
func passage(topic string, sentences int) (list []string) {
	random := rand.New(rand.NewPCG(uint64(len(topic)), uint64(topic[0])))
	for range sentences {
		var words []string
		for range 8 {
			words = append(words, topic+string([]rune{'a' + random.Int32N(26), 'a' + random.Int32N(26)}))
		}
		list = append(list, strings.Join(words, " ")+".")
	}
	return list
}

// edited returns a copy of sentences whose sentence i is another one.
func edited(sentences []string, i int) []string {
	list := append([]string{}, sentences...)
	list[i] = "An editor put another sentence of eight words here."
	return list
}

// clusters are documents by their ids, the smallest of which stays of each cluster, with its size.
func clusters() (documents []schemas.Document, sizes map[string]float32) {
	heron, ferry, rain := passage("heron", 40), passage("ferry", 40), passage("rain", 40)
	// Documents 2, 3 and 4 are a chain: each is like the one before it, and the first and the last are not alike.
	drifted := func(n int) []string { return append(append([]string{}, ferry[n:]...), passage("drift", 12)[:n]...) }
	for id, sentences := range map[int][]string{
		9: heron, 1: edited(heron, 20), 16: edited(heron, 3), 12: heron,
		2: drifted(0), 3: drifted(3), 4: drifted(6), 7: drifted(9),
		5: rain, 6: passage("sun", 40), 8: {"Rain."}, 10: {"rain!"}, 11: {"Rain falls."},
	} {
		documents = append(documents, pipelinetest.DocumentOf(id, []string{"eng", "deu"}[id%2], sentences...))
	}
	return documents, map[string]float32{number(1): 4, number(2): 4, number(5): 1, number(6): 1, number(8): 2, number(11): 1}
}

func number(id int) string { return fmt.Sprintf("%032x", id) }

// sizes returns the score cluster_size of each document that is left.
func sizes(documents []schemas.Document) map[string]float32 {
	sizes := map[string]float32{}
	for _, d := range documents {
		sizes[d.ID], _ = d.Score(schemas.ClusterScore)
	}
	return sizes
}

// Of documents that are nearly equal, also by way of others, the one of the smallest id stays and says how many there were,
// in whatever shard and order they stand and however many units run at once. The others are named with the one that stays.
func TestNear(t *testing.T) {
	documents, want := clusters()
	random := rand.New(rand.NewPCG(8, 8))
	for round := range 4 {
		random.Shuffle(len(documents), func(i, j int) { documents[i], documents[j] = documents[j], documents[i] })
		shards := make([][]schemas.Document, 1+2*round)
		for i, d := range documents {
			shards[i%len(shards)] = append(shards[i%len(shards)], d)
		}
		out, m := pipelinetest.Run(t, pipelinetest.Parse[dedup.Config](t, "--documents", datasettest.Write(t, nil, shards...),
			"--near", "datatrove"), pipelinetest.Settings(1), pipelinetest.Plain(1+round))
		if diff := cmp.Diff(want, sizes(pipelinetest.Rows[schemas.Document](t, out))); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(map[string]int64{"documents duplicates near_duplicate": 7}, pipelinetest.Dropped(m)); diff != "" {
			t.Error(diff)
		}
		if err := m.Funnel.Check(); err != nil {
			t.Error(err)
		}
		details := map[string]string{}
		for _, r := range pipelinetest.Rejects(t, out) {
			details[r.ID] = r.Detail
		}
		named := map[string]string{}
		for id, stays := range map[int]int{9: 1, 16: 1, 12: 1, 3: 2, 4: 2, 7: 2, 10: 8} {
			named[number(id)] = "near duplicate of " + number(stays)
		}
		if diff := cmp.Diff(named, details); diff != "" {
			t.Error(diff)
		}
	}
}

// Of a cluster in which another dataset has a document none stays, whatever the ids are. What that dataset repeats is nothing to us.
func TestNearAgainst(t *testing.T) {
	documents, want := clusters()
	against := datasettest.Write(t, nil, []schemas.Document{
		pipelinetest.DocumentOf(99, "eng", edited(passage("heron", 40), 30)...),
		pipelinetest.DocumentOf(98, "eng", passage("heron", 40)...),
		pipelinetest.DocumentOf(97, "eng", passage("moor", 40)...), pipelinetest.DocumentOf(96, "eng", passage("moor", 40)...),
	})
	got, m := run(t, 2, "--documents", datasettest.Write(t, nil, documents[:6], documents[6:]), "--near", "nemo", "--against", against)
	// Case and punctuation count in this preset.
	delete(want, number(1))
	want[number(8)], want[number(10)] = 1, 1
	if diff := cmp.Diff(want, sizes(got)); diff != "" {
		t.Error(diff)
	}
	dropped := map[string]int64{"documents duplicates in_other_dataset": 4, "documents duplicates near_duplicate": 3}
	if diff := cmp.Diff(dropped, pipelinetest.Dropped(m)); diff != "" {
		t.Error(diff)
	}
}

// A dataset without rows, and one without near duplicates, give what they hold.
func TestNearWithoutClusters(t *testing.T) {
	if got, _ := run(t, 1, "--documents", datasettest.Write[schemas.Document](t, nil, nil, nil), "--near", "datatrove"); len(got) != 0 {
		t.Errorf("%d rows", len(got))
	}
	d := pipelinetest.DocumentOf(1, "eng", "Alone.")
	d.Scores = []schemas.Score{{Name: schemas.ClusterScore, Value: 9}, {Name: "zeal", Value: 2}} // of an earlier run
	got, _ := run(t, 1, "--documents", datasettest.Write(t, nil, []schemas.Document{d}), "--near", "datatrove")
	want := []schemas.Score{{Name: schemas.ClusterScore, Value: 1}, {Name: "zeal", Value: 2}}
	if diff := cmp.Diff(want, got[0].Scores); diff != "" {
		t.Error(diff)
	}
}
