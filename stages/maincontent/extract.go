package maincontent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/clean/maincontent/blocks"
	"sentweave/transforms/clean/maincontent/trained"
	"sentweave/transforms/read/compressed"
	"sentweave/transforms/read/html"
	"sentweave/transforms/read/warc"
)

// Extract is the main content of a page: a line of the output.
type Extract struct {
	// Source is the name of the file, and behind a colon the offset of the record in a web archive.
	Source string `json:"source"`
	URL    string `json:"url,omitempty"`
	Title  string `json:"title"`
	// Kind is the kind of page that the model takes it for.
	Kind string `json:"kind"`
	// Language is the one that the page declares, as ISO 639-3, or "".
	Language string `json:"language"`
	// Text is the main content: its blocks with a blank line between them.
	Text string `json:"text"`
}

// Extracted counts what became of pages.
type Extracted struct {
	Files, Pages, Empty int64
	// Rejected counts pages by the reason why they were not read.
	Rejected map[string]int64
	// First is the first source with each reason.
	First map[string]string
}

func (e *Extracted) reject(reason, source string) {
	if e.Rejected[reason]++; e.Rejected[reason] == 1 {
		e.First[reason] = source
	}
}

// extractor takes the main content out of the pages of a folder.
type extractor struct {
	model    *trained.Model
	out      *json.Encoder
	counts   *Extracted
	archives *warc.Reader
	pages    warc.Decoder
}

// isPage and isArchive say what a file is by its name.
func isPage(name string) bool {
	base, extension := compressed.Cut(strings.ToLower(name))
	switch path.Ext(base) {
	case ".html", ".htm", ".xhtml":
		return extension == "" || extension == ".gz"
	}
	return false
}

func isArchive(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasSuffix(lower, ".warc") || strings.HasSuffix(lower, ".warc.gz")
}

// ExtractFolder writes the main content of all HTML files (.html, .htm, .xhtml, also with .gz) and web archives
// (.warc, .warc.gz) below a folder to a file of JSON lines, in the order of names. Pages that cannot be parsed are
// counted by their reasons and left out; a page without main content has an empty text.
// The file appears when it is whole. The memory is that of one page.
func ExtractFolder(ctx context.Context, input, output string, m *trained.Model, observe func(*Extracted)) (*Extracted, error) {
	folder, err := storage.Locate(input)
	if err != nil {
		return nil, err
	}
	var names []string
	for info, err := range folder.List(ctx, "") {
		switch {
		case err != nil && info.Name == "": // the listing itself broke off
			return nil, err
		case !isPage(info.Name) && !isArchive(info.Name), storage.IsHidden(info.Name), errors.Is(err, storage.ErrIrregular):
		case err != nil:
			return nil, err
		default:
			names = append(names, info.Name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s holds no pages: files whose names end in .html, .htm, .xhtml, also with .gz, .warc or .warc.gz are read",
			input)
	}
	slices.Sort(names)
	target, name, err := storage.LocateFile(output)
	if err != nil {
		return nil, err
	}
	file, err := target.Create(ctx, name, storage.Replace)
	if err != nil {
		return nil, err
	}
	defer file.Abort()
	buffered := bufio.NewWriter(file)
	e := &extractor{model: m, out: json.NewEncoder(buffered), counts: &Extracted{Rejected: map[string]int64{}, First: map[string]string{}}}
	e.out.SetEscapeHTML(false)
	e.pages.MaxPayload = html.DefaultConfig().MaxBytes
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := e.file(ctx, folder, name); err != nil {
			return nil, fmt.Errorf("read %s in %s: %w", name, folder, err)
		}
		e.counts.Files++
		observe(e.counts)
	}
	if err := buffered.Flush(); err != nil {
		return nil, fmt.Errorf("write %s: %w", output, err)
	}
	return e.counts, file.Commit()
}

// file reads a file.
func (e *extractor) file(ctx context.Context, folder storage.Folder, name string) error {
	object, err := folder.Open(ctx, name)
	if err != nil {
		return err
	}
	defer object.Close()
	if isArchive(name) {
		return e.archive(ctx, object, name)
	}
	source := io.Reader(io.NewSectionReader(object, 0, object.Size()))
	_, extension := compressed.Cut(name)
	unpacked, err := compressed.Open(source, extension)
	if err != nil {
		e.counts.reject("damaged_gzip", name)
		return nil
	}
	defer unpacked.Close()
	data, err := io.ReadAll(io.LimitReader(unpacked, int64(html.DefaultConfig().MaxBytes)+1))
	if err != nil {
		if extension == "" {
			return err
		}
		e.counts.reject("damaged_gzip", name)
		return nil
	}
	return e.page(data, html.Origin{}, Extract{Source: name})
}

// archive reads the pages of a web archive.
func (e *extractor) archive(ctx context.Context, object storage.Object, name string) error {
	if e.archives == nil {
		config := warc.DefaultConfig()
		config.Types, config.MaxBlock = []string{warc.Response, warc.Resource}, 16<<20
		var err error
		if e.archives, err = warc.NewReader(object, object.Size(), config); err != nil {
			return err
		}
	} else {
		e.archives.Reset(object, object.Size())
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		record, err := e.archives.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		reason := record.Reason
		var page warc.Page
		if reason == "" {
			page, reason, _ = e.pages.Page(record)
		}
		if reason != "" {
			e.counts.reject(reason, fmt.Sprintf("%s:%d", name, record.Offset))
			continue
		}
		x := Extract{Source: fmt.Sprintf("%s:%d", name, record.Offset), URL: record.TargetURI()}
		if err := e.page(page.Payload, html.Origin{ContentType: page.ContentType, Language: page.Language}, x); err != nil {
			return err
		}
	}
}

// page writes the main content of a page.
func (e *extractor) page(data []byte, origin html.Origin, x Extract) error {
	page, reason, _ := html.Parse(data, origin, trained.HTML())
	if reason != "" {
		e.counts.reject(reason, x.Source)
		return nil
	}
	described := blocks.Describe(page)
	defer described.Free()
	j := e.model.Judge(described)
	var text bytes.Buffer
	for i, chosen := range j.Chosen {
		if chosen {
			if text.Len() > 0 {
				text.WriteString("\n\n")
			}
			text.WriteString(page.Blocks[i].Content)
		}
	}
	x.Title, x.Kind, x.Text = page.Title, j.Kind, text.String()
	if x.URL == "" {
		x.URL = page.Canonical
	}
	if code, err := language.Parse(page.Language); err == nil && code != language.Undetermined {
		x.Language = code
	}
	e.counts.Pages++
	if x.Text == "" {
		e.counts.Empty++
	}
	return e.out.Encode(x)
}
