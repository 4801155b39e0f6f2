package workspace

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
)

// OwnerName is the name of the file that says, in the second folder in a bucket, who is at work.
const OwnerName = "owner.json"

// Owner is a process at work in a bucket.
type Owner struct {
	Host    string    `json:"host"`
	Process int       `json:"process"`
	Begun   time.Time `json:"begun"`
	Token   string    `json:"token"`
}

const maxOwner = 1 << 16

// Take makes a workspace in a bucket this process's alone, wherever others are at work. It returns who had it and did
// not give it back, nil for nobody. Pull then brings what that one has done. On a disk Take does nothing.
func (w *Workspace) Take(now time.Time) (previous *Owner, err error) {
	m := w.mirror
	if m == nil {
		return nil, nil
	}
	host, _ := os.Hostname() // for information
	data, err := json.Marshal(Owner{Host: host, Process: os.Getpid(), Begun: now.UTC(), Token: rand.Text()})
	if err != nil {
		return nil, err
	}
	err = storage.Settle(m.ctx, m.remote, storage.File{Name: m.owner(), Data: data}, maxOwner, func(present []byte) error {
		previous = &Owner{}
		_ = jsonfile.Unmarshal(present, previous) // for information
		return nil
	})
	if err != nil {
		return nil, err
	}
	info, err := m.remote.Stat(m.ctx, m.owner()) // before the content: a later version fails the first look
	if err != nil {
		return nil, err
	}
	if current, err := storage.ReadFile(m.ctx, m.remote, m.owner(), maxOwner); err != nil || string(current) != string(data) {
		return nil, errors.Join(m.lost, err)
	}
	m.owned = info.Version
	return previous, nil
}

// check returns an error unless the workspace is still this process's.
func (m *mirror) check() error {
	info, err := m.remote.Stat(m.ctx, m.owner())
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Version != m.owned {
		return m.lost
	}
	return err
}

// release says that nobody is at work.
func (m *mirror) release() error {
	if m.owned == "" || m.before(StepRelease, m.owner()) != nil || m.check() != nil {
		return nil
	}
	return m.remote.Remove(m.ctx, m.owner())
}
