package exchange

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"sentweave/pipelines/exchange/spill"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// newEnv plans buckets, then spilling units, into a new folder.
func newEnv(t *testing.T, n int) units.Env {
	t.Helper()
	list := make([]dataset.Unit, n)
	for i := range list {
		list[i].Ordinal = i
	}
	plan, err := dataset.Draft{
		Pipeline: "test", PipelineVersion: 1, Schema: schemas.WordCount{}.Schema(), Config: struct{}{}, ShardBytes: 1, Units: list,
	}.Plan()
	if err != nil {
		t.Fatal(err)
	}
	folder := storage.NewLocal(filepath.Join(t.TempDir(), "out"))
	if _, err := plan.Create(t.Context(), folder, list); err != nil {
		t.Fatal(err)
	}
	return units.Env{Folder: folder, Plan: plan}
}

type record struct{ key, value string }

// shuffle spills records from several units at once and returns what each bucket
// merges.
func shuffle(t *testing.T, x Exchange, spilled [][]record, combine Combine, parallelism int) [][]record {
	t.Helper()
	env := newEnv(t, x.First+x.Buckets+len(spilled))
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(parallelism)
	for i, records := range spilled {
		group.Go(func() error {
			out, err := x.Begin(ctx, env, x.First+x.Buckets+i, combine)
			if err != nil {
				return err
			}
			defer out.Abort()
			for _, r := range records {
				if err := out.Add([]byte(r.key), []byte(r.value)); err != nil {
					return err
				}
			}
			return out.Commit(ctx)
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	arrived := map[int64][]units.Ref{}
	for i := range spilled {
		routes, err := x.Routes(t.Context(), env, x.First+x.Buckets+i)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range routes {
			if r.To < int64(x.First) || r.To >= int64(x.First+x.Buckets) || r.Ref.Unit != int64(x.First+x.Buckets+i) {
				t.Fatalf("a route to unit %d of %+v", r.To, r.Ref)
			}
			arrived[r.To] = append(arrived[r.To], r.Ref)
		}
	}
	buckets := make([][]record, x.Buckets)
	for i := range buckets {
		unit := x.First + i
		for r, err := range x.Merge(t.Context(), env, unit, arrived[int64(unit)], combine) {
			if err != nil {
				t.Fatal(err)
			}
			buckets[i] = append(buckets[i], record{string(r.Key), string(r.Value)})
		}
	}
	return buckets
}

// words are records of several units, keys repeating within and across them.
func words(n int) [][]record {
	random := rand.New(rand.NewPCG(1, 2))
	spilled := make([][]record, 7)
	for i := range n {
		unit := random.IntN(len(spilled) - 1) // the last unit has none
		spilled[unit] = append(spilled[unit], record{fmt.Sprint("word ", random.IntN(n/3)), fmt.Sprintf("%06d", i)})
	}
	return spilled
}

// Every record comes out once, every key in one bucket, its values in order; and
// the buckets in turn are the same stream for any number of buckets, order of
// the records and number of units at once.
func TestEveryKeyInOneBucket(t *testing.T) {
	spilled := words(3000)
	byKey := func(a, b record) int { return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.value, b.value)) }
	all := slices.Concat(spilled...)
	slices.SortFunc(all, byKey)
	var stream []record
	for _, buckets := range []int{1, 2, 5, 64} {
		got := shuffle(t, Exchange{Purpose: "words", First: 3, Buckets: buckets}, spilled, nil, 1+buckets%4)
		home := map[string]int{}
		for i, records := range got {
			for k, r := range records {
				if other, ok := home[r.key]; ok && other != i {
					t.Fatalf("%d buckets: %q is in %d and %d", buckets, r.key, other, i)
				}
				home[r.key] = i
				if k > 0 && records[k-1].key == r.key && records[k-1].value >= r.value {
					t.Fatalf("%d buckets: the values of %q come as %s, %s", buckets, r.key, records[k-1].value, r.value)
				}
			}
			if len(records) == 0 && buckets <= 5 {
				t.Errorf("%d buckets: bucket %d is empty", buckets, i)
			}
		}
		joined := slices.Concat(got...)
		if stream == nil {
			stream = slices.Clone(joined)
		}
		if !slices.Equal(stream, joined) {
			t.Errorf("%d buckets give another stream than one", buckets)
		}
		slices.SortFunc(joined, byKey)
		if !slices.Equal(all, joined) {
			t.Errorf("%d buckets: %d records come out, %d went in", buckets, len(joined), len(all))
		}
		for _, records := range spilled {
			slices.Reverse(records)
		}
	}
}

// An exchange by unit brings a record to the unit that its key names, ordered by
// the rest of the key.
func TestByUnit(t *testing.T) {
	const buckets = 300 // more than a byte counts
	random := rand.New(rand.NewPCG(3, 4))
	spilled := make([][]record, 3)
	want := make([][]record, buckets)
	for _, bucket := range []int{0, 1, 2, 127, 128, 255, 256, 299} {
		for i := range 20 {
			key := binary.BigEndian.AppendUint32(UnitKey(nil, bucket), uint32(i*i*1000))
			r := record{string(key), fmt.Sprint(bucket, " ", i)}
			want[bucket] = append(want[bucket], r)
			from := random.IntN(len(spilled))
			spilled[from] = append(spilled[from], r)
		}
	}
	for _, records := range spilled {
		random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	}
	got := shuffle(t, Exchange{Purpose: "rows", First: 0, Buckets: buckets, ByUnit: true}, spilled, nil, 2)
	for bucket := range want {
		if !slices.Equal(want[bucket], got[bucket]) {
			t.Errorf("bucket %d has %q, want %q", bucket, got[bucket], want[bucket])
		}
	}
	one := shuffle(t, Exchange{Purpose: "rows", Buckets: 1, ByUnit: true}, [][]record{{{string(UnitKey(nil, 0)), "x"}}}, nil, 1)
	if len(one[0]) != 1 {
		t.Errorf("a single bucket has %q", one[0])
	}
}

// Counts of equal keys are summed, before and after the files.
func TestSum(t *testing.T) {
	spilled := words(2000)
	want := map[string]int64{}
	for _, records := range spilled {
		for i := range records {
			n := int64(i%5) - 1
			want[records[i].key] += n
			records[i].value = string(AppendCount(nil, n))
		}
	}
	got := map[string]int64{}
	for _, records := range shuffle(t, Exchange{Purpose: "counts", Buckets: 4}, spilled, Sum, 3) {
		for _, r := range records {
			if _, ok := got[r.key]; ok {
				t.Errorf("%q comes twice", r.key)
			}
			got[r.key] = Count([]byte(r.value))
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestKeys(t *testing.T) {
	for _, n := range []int64{0, 1, -1, 1 << 40, -1 << 63} {
		if got := Count(AppendCount([]byte("ab"), n)[2:]); got != n {
			t.Errorf("%d reads as %d", n, got)
		}
	}
	buckets := []int{0, 1, 255, 256, 65_535, 65_536, 1<<32 - 1}
	for i := 1; i < len(buckets); i++ {
		if bytes.Compare(UnitKey(nil, buckets[i-1]), UnitKey(nil, buckets[i])) >= 0 {
			t.Errorf("the key of bucket %d does not sort before that of %d", buckets[i-1], buckets[i])
		}
	}
}

// A spill file is read by its own exchange of its own plan only, and undamaged.
func TestForeignSpill(t *testing.T) {
	x := Exchange{Purpose: "words", First: 0, Buckets: 2}
	env := newEnv(t, 3)
	out, err := x.Begin(t.Context(), env, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err := out.Add([]byte(fmt.Sprint(i)), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	out.Abort() // after Commit it does nothing
	routes, err := x.Routes(t.Context(), env, 2)
	if err != nil || len(routes) != 2 {
		t.Fatalf("%d routes, %v", len(routes), err)
	}
	for name, other := range map[string]Exchange{
		"purpose": {Purpose: "keys", Buckets: 2}, "buckets": {Purpose: "words", Buckets: 3},
		"order": {Purpose: "words", Buckets: 2, ByUnit: true},
	} {
		if _, err := other.Routes(t.Context(), env, 2); err == nil || !strings.Contains(err.Error(), dataset.SpillName(2)) {
			t.Errorf("another %s: %v, want an error that names the file", name, err)
		}
	}
	file := filepath.Join(env.Folder.String(), dataset.SpillName(2))
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[routes[0].Ref.Offset+routes[0].Ref.Length-1] ^= 1
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	merge := func(ctx context.Context, unit int) error {
		for _, err := range x.Merge(ctx, env, unit, []units.Ref{routes[unit].Ref}, nil) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := merge(t.Context(), 0); !errors.Is(err, spill.ErrDamaged) ||
		!strings.Contains(fmt.Sprint(err), dataset.SpillName(2)+" in "+env.Folder.String()) {
		t.Errorf("a flipped bit: %v, want an error that names the file", err)
	}
	if err := merge(t.Context(), 1); err != nil {
		t.Errorf("a flipped bit in another bucket: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := merge(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the job: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := merge(t.Context(), 1); !errors.Is(err, os.ErrNotExist) || !strings.Contains(fmt.Sprint(err), dataset.SpillName(2)) {
		t.Errorf("a file that is gone: %v", err)
	}
}

// A unit that is given up leaves neither a spill file nor a receipt.
func TestAbort(t *testing.T) {
	x := Exchange{Purpose: "words", Buckets: 1}
	env := newEnv(t, 2)
	out, err := x.Begin(t.Context(), env, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Add([]byte("word"), nil); err != nil {
		t.Fatal(err)
	}
	out.Abort()
	left := map[string]bool{}
	for info, err := range env.Folder.List(t.Context(), "_run/") {
		if err != nil {
			t.Fatal(err)
		}
		left[info.Name] = true
	}
	for name := range maps.Keys(left) {
		if !strings.HasPrefix(name, "_run/plan") {
			t.Errorf("%s is left", name)
		}
	}
	if committed, err := env.Plan.Committed(t.Context(), env.Folder, 1); committed || err != nil {
		t.Errorf("committed %t, %v", committed, err)
	}
}
