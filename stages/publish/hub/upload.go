package hub

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Commit is what an upload has done.
type Commit struct {
	// ID is that of the commit, "" where nothing had changed.
	ID string
	// Uploaded and Unchanged count files, Deleted those that are gone from the repository.
	Uploaded, Unchanged, Deleted int
}

// Types of contents.
const (
	jsonType = "application/json"
	lfsType  = "application/vnd.git-lfs+json"
	// linesType is that of the lines of a commit.
	linesType = "application/x-ndjson"
)

// Upload makes the repository if there is none, and its files those of the list by one commit. Files of the repository that are not in the
// list stay, unless stale says of their names that they would change what the repository means. Large files go up first; those that
// arrived before an upload was cut are not sent again, and files that are equal there are not sent at all. Observe is called before each
// large file that is sent.
func (r *Repository) Upload(ctx context.Context, files []File, message string, stale func(name string) bool, observe func(File)) (
	c Commit, err error) {
	if err := r.create(ctx); err != nil {
		return c, err
	}
	entries := make([]*entry, len(files))
	for i, f := range files {
		entries[i] = &entry{File: f}
	}
	// A commit whose answer is lost is there all the same: the second look finds nothing to commit.
	for try := 1; ; try++ {
		parent, present, err := r.tree(ctx)
		if err != nil {
			return c, err
		}
		changed, err := r.changed(ctx, entries)
		if err != nil {
			return c, err
		}
		var gone []string
		for _, name := range present {
			if stale(name) && !slices.ContainsFunc(files, func(f File) bool { return f.Name == name }) {
				gone = append(gone, name)
			}
		}
		if len(changed)+len(gone) == 0 {
			if try == 1 {
				c.Unchanged = len(files)
			} else {
				c.ID = parent
			}
			return c, nil
		}
		c = Commit{Uploaded: len(changed), Unchanged: len(files) - len(changed), Deleted: len(gone)}
		if err := r.sendLarge(ctx, changed, observe); err != nil {
			return c, err
		}
		if c.ID, err = r.commit(ctx, parent, message, changed, gone); err == nil {
			return c, nil
		}
		final := Refused(err) && !refused(err, http.StatusPreconditionFailed, http.StatusConflict) // the commit may be there
		if ctx.Err() != nil || final || try == attempts {
			return c, err
		}
	}
}

// create makes the repository if there is none. A token that may write into one may not be allowed to make others.
func (r *Repository) create(ctx context.Context) error {
	_, err := r.send(ctx, http.MethodGet, r.api(), body{}, nil)
	if !refused(err, http.StatusNotFound, http.StatusUnauthorized) { // which the Hub says of what a stranger may not see
		return err
	}
	owner, name, _ := strings.Cut(r.Name, "/")
	request := map[string]any{"organization": owner, "name": name, "private": r.Private}
	if r.Kind != Model {
		request["type"] = r.Kind
	}
	content, err := encoded(jsonType, request)
	if err != nil {
		return err
	}
	_, err = r.send(ctx, http.MethodPost, r.base.JoinPath("api/repos/create").String(), content, nil)
	if refused(err, http.StatusConflict) {
		return nil
	}
	if refused(err, http.StatusUnauthorized, http.StatusForbidden) {
		return fmt.Errorf("%w; the token must be allowed to write into repositories of %s", err, owner)
	}
	return err
}

// tree returns the commit of the revision and the names of its files; neither of a repository without commits.
func (r *Repository) tree(ctx context.Context) (commit string, names []string, err error) {
	var head struct {
		SHA string `json:"sha"`
	}
	if _, err := r.send(ctx, http.MethodGet, r.api("revision", url.PathEscape(r.Revision)), body{}, &head); err != nil {
		if refused(err, http.StatusNotFound) {
			return "", nil, fmt.Errorf("%w; the repository has no branch %s", err, r.Revision)
		}
		return "", nil, err
	}
	for next := r.api("tree", url.PathEscape(r.Revision)) + "?recursive=true"; next != ""; {
		var page []struct {
			Type string `json:"type"`
			Path string `json:"path"`
		}
		header, err := r.send(ctx, http.MethodGet, next, body{}, &page)
		if err != nil {
			return "", nil, err
		}
		for _, e := range page {
			if e.Type == "file" {
				names = append(names, e.Path)
			}
		}
		if next = nextPage(header); next != "" && len(page) == 0 {
			return "", nil, fmt.Errorf("the list of the files of %s has no end", r.Name)
		}
	}
	return head.SHA, names, nil
}

// nextPage is the address that a header calls the next one.
func nextPage(header http.Header) string {
	for link := range strings.SplitSeq(header.Get("Link"), ",") {
		address, rest, ok := strings.Cut(link, ">")
		if ok && strings.Contains(rest, `rel="next"`) {
			return strings.TrimLeft(address, " <")
		}
	}
	return ""
}

// commit commits the files, and deletes those that are gone.
func (r *Repository) commit(ctx context.Context, parent, message string, files []*entry, gone []string) (id string, err error) {
	var lines bytes.Buffer
	line := json.NewEncoder(&lines)
	add := func(key string, value any) {
		if err == nil {
			err = line.Encode(map[string]any{"key": key, "value": value})
		}
	}
	header := map[string]string{"summary": message, "description": ""}
	if parent != "" {
		header["parentCommit"] = parent
	}
	add("header", header)
	for _, e := range files {
		if e.large {
			add("lfsFile", map[string]any{"path": e.Name, "algo": "sha256", "oid": e.sha256, "size": e.Size})
			continue
		}
		data, err := e.read(ctx, e.Size)
		if err != nil {
			return "", err
		}
		add("file", map[string]string{"path": e.Name, "encoding": "base64", "content": base64.StdEncoding.EncodeToString(data)})
	}
	for _, name := range gone {
		add("deletedFile", map[string]string{"path": name})
	}
	if err != nil {
		return "", err
	}
	var answer struct {
		ID string `json:"commitOid"`
	}
	_, err = r.send(ctx, http.MethodPost, r.api("commit", url.PathEscape(r.Revision)), bodyOf(linesType, lines.Bytes()), &answer)
	return answer.ID, err
}
