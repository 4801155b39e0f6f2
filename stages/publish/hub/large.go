package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
)

// mostParts bounds the parts of a file.
const mostParts = 10_000

// action is what a batch says of a file.
type action struct {
	Href   string         `json:"href"`
	Header map[string]any `json:"header"`
}

// object names a content to the service.
type object struct {
	ID   string `json:"oid"`
	Size int64  `json:"size"`
}

// instruction is what a batch says of a content.
type instruction struct {
	ID    string `json:"oid"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
	Actions map[string]action `json:"actions"`
}

// sendLarge sends the large ones of the files, each content once.
func (r *Repository) sendLarge(ctx context.Context, files []*entry, observe func(File)) error {
	var large []*entry
	for _, e := range files {
		if e.large && !slices.ContainsFunc(large, func(other *entry) bool { return other.sha256 == e.sha256 }) {
			large = append(large, e)
		}
	}
	address := r.Address() + ".git/info/lfs/objects/batch"
	for list := range slices.Chunk(large, mostFiles) {
		var objects []object
		for _, e := range list {
			objects = append(objects, object{e.sha256, e.Size})
		}
		content, err := encoded(lfsType, map[string]any{"operation": "upload", "transfers": []string{"basic", "multipart"},
			"objects": objects, "hash_algo": "sha256", "ref": map[string]string{"name": r.Revision}})
		if err != nil {
			return err
		}
		var answer struct {
			Objects []instruction `json:"objects"`
		}
		if _, err := r.send(ctx, http.MethodPost, address, content, &answer); err != nil {
			return err
		}
		for _, e := range list {
			i := slices.IndexFunc(answer.Objects, func(o instruction) bool { return o.ID == e.sha256 })
			if i < 0 {
				return fmt.Errorf("the service does not tell how to upload %s", e.Name)
			}
			if err := r.follow(ctx, e, answer.Objects[i], observe); err != nil {
				return fmt.Errorf("upload %s: %w", e.Name, err)
			}
		}
	}
	return nil
}

// follow does what the service asks for to have a file: nothing where the content has arrived before.
func (r *Repository) follow(ctx context.Context, e *entry, o instruction, observe func(File)) error {
	if o.Error != nil {
		return errors.New("the service refuses it" + r.message([]byte(o.Error.Message)))
	}
	upload, ok := o.Actions["upload"]
	if !ok {
		return nil
	}
	observe(e.File)
	if err := r.sendOne(ctx, e, upload); err != nil {
		return err
	}
	verify, ok := o.Actions["verify"]
	if !ok {
		return nil
	}
	content, err := encoded(lfsType, object{e.sha256, e.Size})
	if err == nil {
		_, err = r.send(ctx, http.MethodPost, verify.Href, content, nil)
	}
	return err
}

// sendOne sends the content of a file, in one piece or in parts as the service asks for.
func (r *Repository) sendOne(ctx context.Context, e *entry, upload action) error {
	object, err := e.Open(ctx)
	if err != nil {
		return err
	}
	defer object.Close()
	piece := func(from, to int64) body {
		return body{size: to - from, open: func() (io.Reader, error) { return io.NewSectionReader(object, from, to-from), nil }}
	}
	if upload.Header["chunk_size"] == nil {
		_, err := r.send(ctx, http.MethodPut, upload.Href, piece(0, e.Size), nil)
		return err
	}
	size, err := strconv.ParseInt(fmt.Sprint(upload.Header["chunk_size"]), 10, 64)
	if err != nil || size < 1 || e.Size/size > mostParts {
		return fmt.Errorf("the service wants parts of %.100v bytes", upload.Header["chunk_size"])
	}
	type part struct {
		Number int    `json:"partNumber"`
		Tag    string `json:"etag"`
	}
	var parts []part
	addresses := map[int]string{} // by numbers, which may have zeros before them
	for name, value := range upload.Header {
		if n, err := strconv.Atoi(name); err == nil {
			addresses[n], _ = value.(string)
		}
	}
	for n, count := 1, int((e.Size+size-1)/size); n <= count; n++ {
		href := addresses[n]
		if href == "" {
			return fmt.Errorf("the service names no address for part %d of %d", n, count)
		}
		header, err := r.send(ctx, http.MethodPut, href, piece(int64(n-1)*size, min(int64(n)*size, e.Size)), nil)
		if err != nil {
			return err
		}
		if header.Get("ETag") == "" {
			return fmt.Errorf("the service does not acknowledge part %d of %d", n, count)
		}
		parts = append(parts, part{n, header.Get("ETag")})
	}
	content, err := encoded(lfsType, map[string]any{"oid": e.sha256, "parts": parts})
	if err == nil {
		_, err = r.send(ctx, http.MethodPost, upload.Href, content, nil)
	}
	return err
}
