package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
)

// job is a plan with the bytes that its units give, so that a race costs no encoding.
type job struct {
	plan  *Plan
	units []Unit
	// shards and spills are the files of the units, nil for none.
	shards, spills [3][]byte
	made           [3]*Shard
	content        [3]uint64
	rejects        bool
	// want is what an undisturbed run leaves, as left gives it.
	want map[string]string
}

// newJob makes a job whose unit u has so many rows; spill is a unit that spills for the
// one after it, -1 is none.
func newJob(t *testing.T, seed uint64, rows [3]int, spill int, rejects bool) *job {
	t.Helper()
	var pieces []Piece
	for i := range rows {
		pieces = append(pieces, Piece{Span: Span{Name: fmt.Sprintf("in/%d", i), To: 10}, Weight: 10})
	}
	j := &job{units: Pack(pieces, 10), rejects: rejects}
	var err error
	j.plan, err = Draft{Pipeline: "wordcounts", PipelineVersion: 1, Schema: schemas.WordCount{}.Schema(), Seed: seed, ShardBytes: 10,
		Units: j.units}.Plan()
	if err != nil {
		t.Fatal(err)
	}
	for unit, n := range rows {
		switch {
		case unit == spill:
			j.spills[unit] = fmt.Appendf(nil, "keys of plan %d", seed)
			j.made[unit] = &Shard{Name: SpillName(unit), Bytes: int64(len(j.spills[unit])), XXH3: HashString(xxh3.Hash(j.spills[unit]))}
		case n > 0:
			var out bytes.Buffer
			w := rowfile.NewWriter[schemas.WordCount](&out)
			for i := range n {
				if err := w.Write(schemas.WordCount{Word: fmt.Sprint("w", i), Language: "eng", Count: 1}); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			j.shards[unit], j.made[unit], j.content[unit] = out.Bytes(), w.Describe(ShardName(unit)), w.Content
		}
	}
	quiet := storagetest.NewBucket().View(nil, nil)
	if err := j.launch(t.Context(), quiet, false); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(t.Context(), quiet); err != nil {
		t.Fatal(err)
	}
	j.want = left(t.Context(), quiet)
	return j
}

// launch makes the dataset of the job.
func (j *job) launch(ctx context.Context, folder storage.Folder, overwrite bool) error {
	_, _, err := j.plan.Complete(ctx, folder, j.units, overwrite, func(u Unit) error { return j.do(ctx, folder, u.Ordinal) })
	if errors.Is(err, fs.ErrNotExist) && j.plan.completed(ctx, folder) != nil {
		return nil // another launcher was done, and swept what this one was about to read
	}
	return err
}

// do is what Attempt and SpillAttempt do, with the bytes that are there.
func (j *job) do(ctx context.Context, folder storage.Folder, unit int) error {
	l, err := newLedger(folder, j.plan, unit, []Chain{NewChain("wordcounts", "read", "length")})
	if err != nil {
		return err
	}
	if unit > 0 && j.spills[unit-1] != nil {
		data, err := storage.ReadFile(ctx, folder, SpillName(unit-1), 100)
		if err != nil {
			return err
		}
		if !bytes.Equal(data, j.spills[unit-1]) {
			return fmt.Errorf("%w: the spill is another one's", ErrOtherPlan) // as its fingerprint tells
		}
	}
	if j.rejects {
		if err := l.funnel.Drop("wordcounts", "deu", "length", "too_long", 1); err != nil {
			return err
		}
		l.rejects.Add(schemas.Reject{ID: fmt.Sprint("r", unit), Step: "length", Reason: "too_long", Language: "deu"})
	}
	name, data := ShardName(unit), j.shards[unit]
	if j.spills[unit] != nil {
		name, data = SpillName(unit), j.spills[unit]
	}
	if data == nil {
		return l.commit(ctx, nil, nil)
	}
	if j.shards[unit] != nil {
		if err := l.funnel.Keep("wordcounts", "eng", j.made[unit].Rows); err != nil {
			return err
		}
	}
	file, err := rowfile.CreateExclusive(ctx, folder, name)
	if err != nil {
		return err
	}
	defer file.Abort()
	if _, err := file.Write(data); err != nil {
		return err
	}
	return l.commit(ctx, file, func(r *Receipt) (*Shard, error) {
		made := *j.made[unit]
		if j.spills[unit] != nil {
			r.Spill = &made
		} else {
			r.Shard, r.ContentXXH3 = &made, HashString(j.content[unit])
		}
		return &made, nil
	})
}

// left is what a dataset consists of: all files but those that plans and killed writers
// may leave.
func left(ctx context.Context, folder storage.Folder) map[string]string {
	found := map[string]string{}
	for info, err := range folder.List(ctx, "") {
		if err != nil {
			return map[string]string{"list": err.Error()}
		}
		if strings.HasPrefix(info.Name, layout.PlanFolder) || strings.HasPrefix(info.Name, storage.TemporaryFolder) {
			continue
		}
		data, err := storage.ReadFile(ctx, folder, info.Name, 1<<20)
		if err != nil {
			data = []byte(err.Error())
		}
		found[info.Name] = string(data)
	}
	return found
}
