// Package maincontent is the stage that trains models of main content, measures them, and
// takes the main content out of pages.
//
// Data to train on is a folder with a list of pages and, below html, a file for each:
//
//   - ground-truth.jsonl or ground-truth.jsonl.gz, as the Web Content Extraction Benchmark
//     has it: a line a page with id, url, page_type and main_content. A folder of one's own
//     needs id and main_content alone.
//   - ground-truth.json, as Scrapinghub's benchmark of articles has it: an object with, for
//     each id, articleBody and url.
//
// The page of an id is html/ID.html, also with .gz.
package maincontent

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"sentweave/schemas/jsonfile"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/clean/maincontent/trained"
	"sentweave/transforms/filters/blocklist"
	"sentweave/transforms/read/compressed"
	"sentweave/transforms/read/html"
)

// Names of the list of pages.
var listNames = []string{"ground-truth.jsonl.gz", "ground-truth.jsonl", "ground-truth.json"}

// maxList is the size of the largest list, before and after decompression.
const maxList = 1 << 30

// labelled is a page of the list.
type labelled struct {
	ID   string `json:"id"`
	URL  string `json:"url"`
	Kind string `json:"page_type"`
	Text label  `json:"main_content"`
}

// Page is a page with its labels, ready to be trained on and to be compared with.
type Page struct {
	ID, Kind, Domain, Reference string
	// Language is the one that the page declares, as ISO 639-3, or "".
	Language string
	// Sample is nil if the page is one that cannot be parsed; Reason says why, and Detail gives the measure.
	Sample         *trained.Sample
	Reason, Detail string
	// Source is the page's bytes.
	Source []byte
}

// Data are the labelled pages of folders.
type Data struct {
	Pages []*Page
	// Missing are ids of the lists without a file of a page.
	Missing []string
}

// Load reads the labelled pages of folders. Observe is called with how many of how many are done.
func Load(ctx context.Context, folders []string, keepSources bool, observe func(done, all int)) (*Data, error) {
	d := &Data{}
	for _, location := range folders {
		folder, err := storage.Locate(location)
		if err != nil {
			return nil, err
		}
		list, err := readList(ctx, folder)
		if err != nil {
			return nil, err
		}
		for i, l := range list {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			source, err := readPage(ctx, folder, l.ID)
			if errors.Is(err, fs.ErrNotExist) {
				d.Missing = append(d.Missing, l.ID)
				continue
			}
			if err != nil {
				return nil, err
			}
			d.Pages = append(d.Pages, newPage(l, source, keepSources))
			observe(i+1, len(list))
		}
	}
	if len(d.Pages) == 0 {
		return nil, fmt.Errorf("%s: there is no page of those in the list: the page of an id is html/ID.html, also with .gz",
			strings.Join(folders, ", "))
	}
	return d, nil
}

func newPage(l labelled, source []byte, keepSource bool) *Page {
	p := &Page{ID: l.ID, Kind: l.Kind, Domain: cmp.Or(DomainOf(l.URL), l.ID), Reference: l.Text.text}
	if keepSource {
		p.Source = source
	}
	page, reason, detail := html.Parse(source, html.Origin{}, trained.HTML())
	if reason != "" {
		p.Reason, p.Detail = reason, detail
		return p
	}
	if code, err := language.Parse(page.Language); err == nil {
		p.Language = code
	}
	p.Sample = trained.NewSample(page, l.Text.text, p.Domain, l.Kind)
	return p
}

// DomainOf returns the domain that somebody registered of an address, in small letters of ASCII, its host where there is none, or "".
func DomainOf(address string) string {
	host := blocklist.Host(address)
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return domain
	}
	return host
}

// readList reads the list of a folder.
func readList(ctx context.Context, folder storage.Folder) ([]labelled, error) {
	for _, name := range listNames {
		data, err := storage.ReadFile(ctx, folder, name, maxList)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		data, err = unpack(name, data, maxList)
		if err != nil {
			return nil, fmt.Errorf("read %s in %s: %w", name, folder, err)
		}
		data = bytes.TrimPrefix(data, []byte("\ufeff"))
		var list []labelled
		if strings.HasSuffix(name, ".json") {
			list, err = parseObject(data)
		} else {
			list, err = parseLines(data)
		}
		if err != nil {
			return nil, fmt.Errorf("read %s in %s: %w", name, folder, err)
		}
		return list, nil
	}
	return nil, fmt.Errorf("%s has no list of pages: it needs %s", folder, strings.Join(listNames, " or "))
}

// unpack decompresses data as its name says.
func unpack(name string, data []byte, limit int64) ([]byte, error) {
	_, extension := compressed.Cut(name)
	if extension == "" {
		return data, nil
	}
	r, err := compressed.Open(bytes.NewReader(data), extension)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, limit))
}

// parseLines reads a list of lines.
func parseLines(data []byte) (list []labelled, err error) {
	lines := bufio.NewReader(bytes.NewReader(data))
	ids := map[string]bool{}
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var l labelled
			if err := jsonfile.Unmarshal(line, &l); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, typed(err))
			}
			if err := checkID(l.ID, ids); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			if !l.Text.there {
				return nil, fmt.Errorf(`line %d: page %q has no main_content; "" is that of a page without any`, n, l.ID)
			}
			list = append(list, l)
		}
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// parseObject reads a list of articles.
func parseObject(data []byte) (list []labelled, err error) {
	var object map[string]struct {
		Body label  `json:"articleBody"`
		URL  string `json:"url"`
	}
	if err := jsonfile.Unmarshal(data, &object); err != nil {
		return nil, typed(err)
	}
	ids := map[string]bool{}
	for id, a := range object {
		if err := checkID(id, ids); err != nil {
			return nil, err
		}
		if !a.Body.there {
			return nil, fmt.Errorf(`page %q has no articleBody; "" is that of a page without any`, id)
		}
		list = append(list, labelled{ID: id, URL: a.URL, Text: a.Body})
	}
	slices.SortFunc(list, func(a, b labelled) int { return strings.Compare(a.ID, b.ID) })
	return list, nil
}

// label is a text that may be null, as those of some pages without main content are in the
// benchmark, but must be there: a page whose label was forgotten does not count as one without main content.
type label struct {
	text  string
	there bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *label) UnmarshalJSON(data []byte) error {
	l.there = true
	if jsonfile.Unmarshal(data, &l.text) != nil {
		return errors.New("the main content is not a text")
	}
	return nil
}

// typed writes an error of a value of the wrong type in the words of the file.
func typed(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) || wrong.Field == "" {
		return err
	}
	return fmt.Errorf("%s is a %s, it must be text", wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:], wrong.Value)
}

// checkID refuses ids that are not names of files.
func checkID(id string, ids map[string]bool) error {
	switch {
	case id == "" || id == "." || id == ".." || strings.ContainsAny(id, "/\\\x00"):
		return fmt.Errorf("the id %q does not name a file below html", id)
	case ids[id]:
		return fmt.Errorf("the id %q occurs there twice", id)
	}
	ids[id] = true
	return nil
}

// readPage reads the page of an id.
func readPage(ctx context.Context, folder storage.Folder, id string) ([]byte, error) {
	limit := int64(html.DefaultConfig().MaxBytes) + 1
	for _, extension := range []string{".html.gz", ".html"} {
		name := "html/" + id + extension
		data, err := storage.ReadFile(ctx, folder, name, limit)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if data, err = unpack(name, data, limit); err != nil {
			return nil, fmt.Errorf("read %s in %s: %w", name, folder, err)
		}
		return data, nil
	}
	return nil, fmt.Errorf("html/%s.html in %s: %w", id, folder, fs.ErrNotExist)
}

// ReadPage reads the file of a page, also with .gz.
func ReadPage(ctx context.Context, location string) ([]byte, error) {
	limit := int64(html.DefaultConfig().MaxBytes) + 1
	data, err := storage.ReadLocation(ctx, location, limit)
	if err != nil {
		return nil, err
	}
	if data, err = unpack(location, data, limit); err != nil {
		return nil, fmt.Errorf("read %s: %w", location, err)
	}
	return data, nil
}
