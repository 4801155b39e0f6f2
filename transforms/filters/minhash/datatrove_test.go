package minhash

import (
	"math/rand/v2"
	"slices"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/transforms/filters/dedup"
)

// matching gives signatures to datatrove as files of its first stage, and prints the pairs that it finds in each band, and the
// cluster of each document that it puts into one.
const matching = `
import contextlib, glob, json, os, struct, sys, tempfile
from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupBuckets, MinhashDedupCluster
os.environ["DATATROVE_COLORIZE_LOGS"] = "0"
signatures, config, pairs, clusters = json.load(sys.stdin), MinhashConfig(), [], []
rows = config.hashes_per_bucket
with tempfile.TemporaryDirectory() as folder:
    for band in range(config.num_buckets):
        os.makedirs(f"{folder}/keys/bucket_{band:03d}")
        with open(f"{folder}/keys/bucket_{band:03d}/00000.minhash.sig", "wb") as file:
            for key in sorted((*s[band * rows : (band + 1) * rows], i) for i, s in enumerate(signatures)):
                file.write(struct.pack(f"<{rows}QI", *key))
    for band in range(config.num_buckets):
        MinhashDedupBuckets(f"{folder}/keys", f"{folder}/pairs", config=config).run(None, band, config.num_buckets)
        data = open(f"{folder}/pairs/{band:05d}_00.dups", "rb").read()
        pairs.append([(a, b) for _, a, _, b in struct.iter_unpack("<4I", data)])
    MinhashDedupCluster(f"{folder}/pairs", f"{folder}/clusters", config=config, save_cluster_id=True).run()
    clusters = list(struct.iter_unpack("<2I", open(f"{folder}/clusters/000000.clusters", "rb").read()))
json.dump({"pairs": pairs, "clusters": clusters}, sys.stdout)
`

// Of the same signatures datatrove finds the same pairs in each band, and the same clusters.
func TestPairsBesideDatatrove(t *testing.T) {
	python := peertest.Python(t, "datatrove.pipeline.dedup.minhash")
	s, random := signer(t, "datatrove"), rand.New(rand.NewPCG(11, 12))
	signatures := make([][]uint64, 5000)
	for i := range signatures { // each seven share some bands, and others but for one row
		for k := range s.signature {
			signatures[i] = append(signatures[i], random.Uint64N(1<<61-1))
			if first := i - i%7; k%s.preset.Rows == s.preset.Rows-1 && first < i && random.IntN(6) == 0 {
				start := k + 1 - s.preset.Rows + random.IntN(2)
				copy(signatures[i][start:], signatures[first][start:k+1])
			}
		}
	}
	var theirs struct {
		Pairs    [][][2]int
		Clusters [][2]int
	}
	peertest.Answer(t, signatures, &theirs, python, "-c", matching)
	components, found := NewComponents(uint32(len(signatures))), 0
	keys := make([][]dedup.Key, len(signatures))
	pairs := make([]int, s.preset.Bands)
	first := map[dedup.Key]int{}
	for i := range signatures {
		copy(s.signature, signatures[i])
		keys[i] = slices.Clone(s.band())
		for band, k := range keys[i] {
			if j, ok := first[k]; ok {
				components.Join(uint32(i), uint32(j))
				pairs[band]++
				found++
			} else {
				first[k] = i
			}
		}
	}
	for band, list := range theirs.Pairs { // a group of n documents has n-1 pairs, ours and theirs
		if len(list) != pairs[band] {
			t.Errorf("band %d: %d pairs, datatrove has %d", band, pairs[band], len(list))
		}
		for _, p := range list {
			if keys[p[0]][band] != keys[p[1]][band] {
				t.Errorf("band %d: datatrove pairs %d with %d", band, p[0], p[1])
			}
		}
	}
	roots := map[int]uint32{}
	clustered := map[uint32]int{}
	for _, c := range theirs.Clusters {
		root := components.Root(uint32(c[0]))
		if other, ok := roots[c[1]]; ok && other != root {
			t.Errorf("document %d: other documents are in its cluster", c[0])
		}
		roots[c[1]] = root
		clustered[root]++
	}
	sizes := map[uint32]int{}
	for i := range signatures {
		sizes[components.Root(uint32(i))]++
	}
	large := 0
	for root, n := range sizes {
		if n > 1 && clustered[root] != n {
			t.Errorf("cluster %d has %d documents, datatrove's %d", root, n, clustered[root])
		}
		if n > 2 {
			large++
		}
	}
	if len(clustered) != len(roots) || found < 1000 || large < 100 {
		t.Errorf("%d clusters, datatrove has %d; %d pairs and %d clusters of three or more", len(clustered), len(roots), found, large)
	}
	t.Logf("%d pairs, %d clusters", found, len(clustered))
}
