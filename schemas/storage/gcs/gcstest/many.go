package gcstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// Many has a folder hold objects that are made up when they are asked for, until the
// test ends: so many that the service behind, which looks each up in a list, would
// take minutes. Names are relative to the folder, and sorted. It counts the lists
// that it gives.
func (s *Service) Many(t testing.TB, folder string, names []string, content func(i int) []byte) (lists func() int64) {
	bucket, prefix := Split(folder)
	m := &many{bucket: bucket, prefix: prefix, names: names, content: content}
	s.Answer(t, m.answer)
	return m.lists.Load
}

type many struct {
	bucket  string
	prefix  string
	names   []string
	content func(i int) []byte
	lists   atomic.Int64
}

func (m *many) answer(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet {
		return false
	}
	query := r.URL.Query()
	if strings.HasSuffix(r.URL.Path, "/b/"+m.bucket+"/o") && strings.HasPrefix(query.Get("prefix"), m.prefix) {
		m.list(w, query)
		return true
	}
	name, ok := strings.CutPrefix(r.URL.Path, "/"+m.bucket+"/"+m.prefix)
	if !ok {
		return false
	}
	i := sort.SearchStrings(m.names, name)
	if i == len(m.names) || m.names[i] != name {
		return false
	}
	data := m.content(i)
	from, to := 0, len(data)-1
	var end int
	if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &end); n == 2 {
		to = min(to, end)
	}
	w.Header().Set("X-Goog-Generation", "1")
	if r.Header.Get("Range") == "" {
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = w.Write(data) // whoever goes away does not read it
		return true
	}
	if from > to {
		w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		return true
	}
	w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, len(data)))
	w.Header().Set("Content-Length", strconv.Itoa(to+1-from))
	w.WriteHeader(http.StatusPartialContent)
	_, _ = w.Write(data[from : to+1])
	return true
}

func (m *many) list(w http.ResponseWriter, query url.Values) {
	m.lists.Add(1)
	type item struct {
		Kind       string `json:"kind"`
		Name       string `json:"name"`
		Size       string `json:"size"`
		Generation string `json:"generation"`
	}
	answer := struct {
		Kind  string `json:"kind"`
		Next  string `json:"nextPageToken,omitempty"`
		Items []item `json:"items"`
	}{Kind: "storage#objects"}
	prefix := strings.TrimPrefix(query.Get("prefix"), m.prefix)
	i := sort.SearchStrings(m.names, max(prefix, query.Get("pageToken")))
	for ; i < len(m.names) && strings.HasPrefix(m.names[i], prefix); i++ {
		if len(answer.Items) == 1000 {
			answer.Next = m.names[i]
			break
		}
		answer.Items = append(answer.Items, item{"storage#object", m.prefix + m.names[i], strconv.Itoa(len(m.content(i))), "1"})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // as above
}
