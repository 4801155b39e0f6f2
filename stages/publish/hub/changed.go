package hub

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// mostFiles is the number of files of a request.
const mostFiles = 256

// changed returns the files that are not in the repository as they are.
func (r *Repository) changed(ctx context.Context, entries []*entry) (changed []*entry, err error) {
	type file struct {
		Path   string `json:"path"`
		Sample []byte `json:"sample"`
		Size   int64  `json:"size"`
	}
	for list := range slices.Chunk(entries, mostFiles) {
		request := struct {
			Files []file `json:"files"`
		}{}
		byName := map[string]*entry{}
		for _, e := range list {
			sample, err := e.read(ctx, sampled)
			if err != nil {
				return nil, err
			}
			byName[e.Name] = e
			request.Files = append(request.Files, file{e.Name, sample, e.Size})
		}
		content, err := encoded(jsonType, request)
		if err != nil {
			return nil, err
		}
		var answer struct {
			Files []struct {
				Path   string `json:"path"`
				Mode   string `json:"uploadMode"`
				ID     string `json:"oid"`
				Ignore bool   `json:"shouldIgnore"`
			} `json:"files"`
		}
		if _, err := r.send(ctx, http.MethodPost, r.api("preupload", url.PathEscape(r.Revision)), content, &answer); err != nil {
			return nil, err
		}
		for _, f := range answer.Files {
			e := byName[f.Path]
			if e == nil {
				return nil, fmt.Errorf("the service tells of a file %.200q that is not one of those to upload", f.Path)
			}
			if f.Ignore {
				return nil, fmt.Errorf("%s: the .gitignore of the repository leaves the file out", e.Name)
			}
			delete(byName, f.Path)
			e.large = f.Mode == "lfs" && e.Size > 0 // an empty file is never a large one
			id, err := e.id(ctx)
			if err != nil {
				return nil, err
			}
			if id != f.ID {
				changed = append(changed, e)
			}
		}
		if len(byName) > 0 {
			return nil, fmt.Errorf("the service does not tell how to upload %d of %d files", len(byName), len(list))
		}
	}
	return changed, nil
}
