package classifiers

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/cache"
	"sentweave/stages/evaluate/protocol"
	"sentweave/transforms/measure/probe"
)

// trainings are those of classifiers on the same rows, one or two for each seed. What each gave stands
// in the cache of this program, by all that decides it: a killed evaluation goes on with it, and one
// with more seeds trains only the new ones.
type trainings struct {
	folder  *cache.Folder // nil if nothing is kept
	observe func(subtask string, seed int)
}

// Trainer is what protocols implement that train classifiers.
type Trainer interface {
	// KeepTrainings gives the version of the stage under which they are kept, 0 to keep none, and what is called before each
	// that is not kept.
	KeepTrainings(version int, observe func(what string, seed, seeds int))
}

// KeepTrainings implements Trainer.
func (c *classifications) KeepTrainings(version int, observe func(what string, seed, seeds int)) {
	c.version, c.observe = version, observe
}

// trainings opens those of a task on some rows. They must be closed.
func (c *classifications) trainings(name, language string, classes int, parts ...probe.Scored) (t *trainings, err error) {
	t = &trainings{observe: func(subtask string, seed int) {
		if c.observe != nil {
			c.observe(subtask+" in "+language, seed, c.seeds)
		}
	}}
	if c.version == 0 {
		return t, nil
	}
	hash := xxh3.New()
	fmt.Fprintf(hash, "%d %q %d %+v\n", c.version, name, classes, c.config)
	for _, p := range parts {
		fmt.Fprintf(hash, "%d %v %v\n", p.Form, p.Classes, p.Scores)
		for _, list := range [][][]float32{p.Vectors, p.Second} {
			fmt.Fprintln(hash, len(list))
			for _, v := range list {
				_ = binary.Write(hash, binary.LittleEndian, v) // a hash takes all
			}
		}
	}
	sum := hash.Sum128().Bytes()
	t.folder, err = cache.Entry(fmt.Sprintf("trainings %x", sum))
	return t, err
}

func (t *trainings) close() error {
	if t.folder == nil {
		return nil
	}
	return t.folder.Close()
}

// trained returns what a training gives: what is kept of it, or what train returns, which is kept then.
func trained[T any](ctx context.Context, t *trainings, subtask string, seed int, train func() (T, error)) (result T, err error) {
	if t.folder == nil {
		t.observe(subtask, seed)
		return train()
	}
	folder, name := storage.NewLocal(t.folder.Path), fmt.Sprintf("%s-%d", subtask, seed)
	data, err := storage.ReadFile(ctx, folder, name, protocol.MaxFile)
	if err == nil && len(data) > 8 && binary.LittleEndian.Uint64(data) == xxh3.Hash(data[8:]) {
		return result, gob.NewDecoder(bytes.NewReader(data[8:])).Decode(&result)
	}
	t.observe(subtask, seed)
	if result, err = train(); err != nil {
		return result, err
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(result); err != nil {
		return result, err
	}
	data = append(binary.LittleEndian.AppendUint64(nil, xxh3.Hash(b.Bytes())), b.Bytes()...)
	if err := errors.Join(cache.MakeRoom(int64(len(data))), storage.WriteFile(ctx, folder, name, data, storage.Replace)); err != nil {
		return result, fmt.Errorf("keep a training in %s: %w", filepath.Dir(t.folder.Path), err)
	}
	return result, nil
}
