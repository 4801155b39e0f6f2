package train

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
)

// mirror has a run's output in a bucket, while libtorch writes and reads files: the
// run works in a scratch folder on the local disk, and disk tells the mirror of every
// change that lasts, which it repeats in the bucket, in the same order. What holds of
// the local output holds there: of files that belong together the record goes last,
// and comes away first.
//
// Whoever begins takes the output over, by writing ownerName, and brings the scratch
// folder to what the bucket holds: the bucket decides. A run whose output was taken
// over changes nothing any more and ends: it looks before each change, and each object
// is written over the version alone that was there then.
type mirror struct {
	// remote is the folder that holds both of the output, root the same of the scratch
	// folder; encoder is the name of one of the two in it.
	remote  storage.Folder
	root    string
	encoder string
	// ctx is that of changes. It does not end with the run: an interrupt ends with a
	// checkpoint.
	ctx    context.Context
	before func(step, path string) error
	// owned is the version of ownerName by which the output is this run's.
	owned string
}

// ownerName tells whose the output is, in the folder of the training.
const ownerName = "owner.json"

type owner struct {
	Host    string    `json:"host"`
	Process int       `json:"process"`
	Begun   time.Time `json:"begun"`
	Token   string    `json:"token"`
}

const maxOwner = 1 << 16

// newMirror returns the mirror of the encoder's folder at a location, which works in a
// scratch folder of the same name.
func newMirror(ctx context.Context, location, scratch string, hook func(step, path string) error) (*mirror, error) {
	if _, err := storage.At(location); err != nil {
		return nil, err
	}
	parent, name, err := storage.Split(strings.TrimSuffix(location, "/"))
	if err != nil {
		return nil, errors.New("it is a whole bucket; name a folder in it, beside which there is room for the one of the training")
	}
	remote, err := storage.At(parent)
	return &mirror{remote: remote, root: filepath.Dir(scratch), encoder: name, ctx: context.WithoutCancel(ctx), before: hook}, err
}

// training is the name of a file in the folder of the training.
func (m *mirror) training(name string) string { return path.Join(m.encoder+Suffix, name) }

func (m *mirror) name(local string) string {
	name, _ := filepath.Rel(m.root, local) // both are below the root
	return filepath.ToSlash(name)
}

func (m *mirror) local(name string) string { return filepath.Join(m.root, filepath.FromSlash(name)) }

// temporary says whether a path is of files that do not last.
func (m *mirror) temporary(local string) bool {
	_, rest, _ := strings.Cut(m.name(local), "/")
	return rest == temporaryFolder || strings.HasPrefix(rest, temporaryFolder+"/")
}

// take makes the output this run's. It returns who had it, nil if nobody has.
func (m *mirror) take(now time.Time) (previous *owner, err error) {
	host, _ := os.Hostname() // for information
	data, err := json.Marshal(owner{Host: host, Process: os.Getpid(), Begun: now.UTC(), Token: rand.Text()})
	if err != nil {
		return nil, err
	}
	err = storage.Settle(m.ctx, m.remote, m.training(ownerName), data, maxOwner, func(present []byte) error {
		previous = &owner{}
		_ = jsonfile.Unmarshal(present, previous) // for information
		return nil
	})
	if err != nil {
		return nil, err
	}
	info, err := m.remote.Stat(m.ctx, m.training(ownerName)) // before the content: a later version fails the first look
	if err != nil {
		return nil, err
	}
	if current, err := storage.ReadFile(m.ctx, m.remote, m.training(ownerName), maxOwner); err != nil || string(current) != string(data) {
		return nil, errors.Join(m.lost(), err)
	}
	m.owned = info.Version
	return previous, nil
}

func (m *mirror) lost() error {
	return fmt.Errorf("another process has taken over the training in %s: it goes on from the last checkpoint, and this one ends", storage.Join(m.remote.String(), m.encoder))
}

// check returns an error unless the output is still this run's.
func (m *mirror) check() error {
	info, err := m.remote.Stat(m.ctx, m.training(ownerName))
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Version != m.owned {
		return m.lost()
	}
	return err
}

// release says that nobody works on the output.
func (m *mirror) release() error {
	if m.owned == "" || m.before("release", ownerName) != nil || m.check() != nil {
		return nil
	}
	return m.remote.Remove(m.ctx, m.training(ownerName))
}

// put repeats that a file, or a folder of files, has come or changed.
func (m *mirror) put(local string) error {
	if m == nil || m.temporary(local) {
		return nil
	}
	var paths []string
	err := filepath.WalkDir(local, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(paths, func(a, b string) int { return isRecord(a) - isRecord(b) })
	for _, path := range paths {
		if err := m.upload(path); err != nil {
			return err
		}
	}
	return nil
}

// isRecord is 1 for a record, which goes last.
func isRecord(path string) int {
	if filepath.Base(path) == RecordName {
		return 1
	}
	return 0
}

func (m *mirror) upload(local string) error {
	name := m.name(local)
	if err := m.before("upload", name); err != nil {
		return err
	}
	condition := storage.IfAbsent
	info, err := m.remote.Stat(m.ctx, name)
	switch {
	case err == nil:
		condition = storage.IfVersion(info.Version)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := m.check(); err != nil { // after the look: a new owner's object has another version
		return err
	}
	err = storage.Upload(m.ctx, local, m.remote, name, condition)
	if errors.Is(err, fs.ErrExist) {
		return m.lost()
	}
	return err
}

// remove repeats that a file or folder is gone.
func (m *mirror) remove(local string) error {
	if m == nil || m.temporary(local) {
		return nil
	}
	name := m.name(local)
	var names []string
	for info, err := range m.remote.List(m.ctx, name) {
		if err != nil {
			return err
		}
		if info.Name == name || strings.HasPrefix(info.Name, name+"/") {
			names = append(names, info.Name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return isRecord(b) - isRecord(a) })
	for _, name := range names {
		if err := m.before("delete", name); err != nil {
			return err
		}
		if err := m.check(); err != nil {
			return err
		}
		if err := m.remote.Remove(m.ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// sizes lists what the bucket holds.
func (m *mirror) sizes(ctx context.Context) (map[string]int64, error) {
	sizes := map[string]int64{}
	for _, folder := range []string{m.encoder, m.training("")} {
		for info, err := range m.remote.List(ctx, folder+"/") {
			if err != nil {
				return nil, err
			}
			sizes[info.Name] = info.Size
		}
	}
	return sizes, nil
}

// names lists what the bucket holds in a folder, without owner.json, which says whose it is.
func (m *mirror) names(local string) ([]string, error) {
	prefix := m.name(local) + "/"
	var names []string
	for info, err := range m.remote.List(m.ctx, prefix) {
		if err != nil {
			return nil, err
		}
		name, _, _ := strings.Cut(info.Name[len(prefix):], "/")
		if info.Name != m.training(ownerName) && (len(names) == 0 || names[len(names)-1] != name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// checkSizes is Record.checkFiles by the listing alone: objects appear whole.
func (r *Record) checkSizes(folder string, sizes map[string]int64) error {
	var errs fault.List
	for _, f := range r.Files {
		if size, ok := sizes[path.Join(folder, f.Name)]; !ok || size != f.Bytes {
			errs.Addf("%w: %s is missing, or has not the %d bytes that %s says", dataset.ErrCorrupt, f.Name, f.Bytes, RecordName)
		}
	}
	return errs.Err()
}

// pull brings the scratch folder to what the bucket holds of records, losses and events.
// Of models and checkpoints only the records come.
func (m *mirror) pull(ctx context.Context) error {
	sizes, err := m.sizes(ctx)
	if err != nil {
		return err
	}
	if err := m.clear(sizes); err != nil {
		return err
	}
	for name := range sizes {
		if rest, ok := strings.CutPrefix(name, m.training(checkpointFolder)+"/"); ok {
			step, _, _ := strings.Cut(rest, "/")
			if err := os.MkdirAll(m.local(path.Join(m.training(checkpointFolder), step)), 0o777); err != nil {
				return err
			}
		}
		small := path.Base(name) == RecordName || name == path.Join(m.encoder, LossesName) || strings.HasPrefix(name, m.training(eventsFolder)+"/")
		if small {
			if err := storage.Download(ctx, m.remote, name, m.local(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// newestFirst compares the names of checkpoints, which are numbers of six digits or more.
func newestFirst(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(b, a)) }

// bring fetches the newest whole checkpoint, and the model of its best step, which needs no
// private files.
func (m *mirror) bring(ctx context.Context, private []string) error {
	if m == nil {
		return nil
	}
	sizes, err := m.sizes(ctx)
	if err != nil {
		return err
	}
	var steps []string // as they are called
	for name := range sizes {
		if rest, ok := strings.CutPrefix(name, m.training(checkpointFolder)+"/"); ok {
			if step, _, _ := strings.Cut(rest, "/"); !slices.Contains(steps, step) {
				steps = append(steps, step)
			}
		}
	}
	slices.SortFunc(steps, newestFirst)
	for _, step := range steps {
		folder := m.training(path.Join(checkpointFolder, step))
		complete, err := m.fetch(ctx, folder, sizes, nil)
		if err != nil {
			return err
		}
		if !complete {
			continue
		}
		r, err := readRecord(m.local(folder))
		if err != nil || r.Validated == nil || r.Validated.Best == 0 {
			return err
		}
		best := m.training(path.Join(checkpointFolder, filepath.Base((&checkpoints{}).path(r.Validated.Best))))
		if complete, err = m.fetch(ctx, best, sizes, private); err != nil || complete {
			return err
		}
	}
	return nil
}

// clear removes from the scratch folder all but the lock, and checkpoints that the
// bucket has, too: their files are compared with the record that is pulled.
func (m *mirror) clear(sizes map[string]int64) error {
	for _, folder := range []string{m.encoder, m.training(""), m.training(checkpointFolder)} {
		entries, err := os.ReadDir(m.local(folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			_, exists := sizes[path.Join(name, RecordName)]
			if name == m.training(lockName) || name == m.training(checkpointFolder) || folder == m.training(checkpointFolder) && exists {
				continue
			}
			if err := os.RemoveAll(m.local(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// fetch brings the files of a checkpoint whose record is here, those that were stripped
// from the encoder's folder, but for some, and says whether it is whole. One that is
// damaged in the bucket is left: the run passes over it.
func (m *mirror) fetch(ctx context.Context, folder string, sizes map[string]int64, but []string) (complete bool, err error) {
	r, err := readRecord(m.local(folder))
	if err != nil {
		return false, nil
	}
	r.Files = r.without(but)
	for _, f := range r.Files {
		name := path.Join(folder, f.Name)
		if local, err := hashFile(m.local(name)); err == nil && local.Bytes == f.Bytes && local.XXH3 == f.XXH3 {
			continue
		}
		source := name
		if _, exists := sizes[name]; !exists {
			source = path.Join(m.encoder, f.Name)
		}
		if size, exists := sizes[source]; !exists || size != f.Bytes {
			return false, nil
		}
		if err := storage.Download(ctx, m.remote, source, m.local(name)); err != nil {
			return false, err
		}
	}
	return r.checkFiles(m.local(folder)) == nil, nil
}
