package corpus

import (
	"context"
	"path"
	"slices"
	"strings"

	"sentweave/transforms/clean/personal"
	"sentweave/transforms/document"
	"sentweave/transforms/read/compressed"
	"sentweave/transforms/read/layout"
	"sentweave/transforms/read/rights"
	"sentweave/transforms/read/warc"
)

// format is a format of input files. No other code knows its name.
type format struct {
	// name is what --format calls the format, and title is what texts call it. Documents says what a document is in its
	// files. Extensions are those of the files, in small letters; an end that says how they are compressed may follow.
	name, title, documents string
	extensions             []string
	// read calls use for every record of a file. Damage of a compressed file ends the file there.
	read func(ctx context.Context, r *recordReader, f file, use use) error
	// pages says that a file is one page, or a part of one, so that pages are dealt into parts by the names of
	// files. Elsewhere records are dealt.
	pages bool
	// whole says whether a file is one document, which has to be there from its beginning to its end. Other files are
	// read in ranges of bytes, record by record.
	whole func(c Config) bool
	// fields says that --text-field and the like name parts of a record.
	fields bool
	// paragraphs says that blank lines part the paragraphs of a file.
	paragraphs bool
	// records are the types of the records of a web archive that are read, and take makes documents of these. Files of
	// other formats have none.
	records []string
	take    func(r *recordReader, found warc.Record, record *document.Record)
}

// formats are all formats. Where two have an extension in common, the first counts.
var formats []*format

func init() { // their readers ask for the format of a file
	formats = []*format{
		{
			name: "html", title: "HTML", extensions: []string{".html", ".htm", ".xhtml"},
			documents: "the page", read: readHTML, pages: true, whole: wholeFiles,
		},
		{
			name: "text", title: "text", extensions: []string{".txt", ".text"},
			documents: "the file, or with --documents each paragraph or line", read: readTexts, pages: true, whole: Config.wholeTexts,
			paragraphs: true,
		},
		{
			name: "markdown", title: "Markdown", extensions: []string{".md", ".markdown", ".mdx"},
			documents: "the file, as the page that it makes", read: readMarkdown, pages: true, whole: wholeFiles,
		},
		{
			name: "jsonl", title: "JSONL", extensions: []string{".jsonl", ".ndjson"},
			documents: "the field --text-field of each line", read: readTexts, whole: singleRecords, fields: true,
		},
		{
			name: "warc", title: "WARC", extensions: []string{".warc"},
			documents: "each response that is a page of HTML", read: readArchive, whole: singleRecords,
			records: []string{warc.Response, warc.Resource}, take: takePage,
		},
		{
			name: "wet", title: "WET", extensions: []string{".wet"},
			documents: "the text of each page", read: readArchive, whole: singleRecords,
			records: []string{warc.Conversion}, take: takeText,
		},
	}
}

func wholeFiles(Config) bool { return true }

func singleRecords(Config) bool { return false }

// wholeTexts says whether each file of text is one document.
func (c Config) wholeTexts() bool { return c.Documents == documentsFile }

// formatAuto goes by the names of the files.
const formatAuto = "auto"

// formatNamed returns the format that --format calls so, nil for formatAuto and for none.
func formatNamed(name string) *format {
	i := slices.IndexFunc(formats, func(f *format) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return formats[i]
}

// formatNames are the values of --format.
func formatNames() []string {
	names := []string{formatAuto}
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// extensions are those of all formats.
func extensions() (list []string) {
	for _, f := range formats {
		list = append(list, f.extensions...)
	}
	return list
}

// Vars implements flags.Texts: what the tags of Config say of the formats.
func (Config) Vars() map[string]string {
	var titles []string
	for _, f := range formats {
		titles = append(titles, f.title)
	}
	last := len(titles) - 1
	return map[string]string{
		"compressions": compressed.Endings, "formats": strings.Join(formatNames(), ","),
		"opt_outs":         strings.Join(rights.Names(), ","),
		"personal":         strings.Join(personal.Kinds(), ","),
		"formats_of_files": strings.Join(titles[:last], ", ") + " or " + titles[last],
	}
}

// What is one document in a text file.
const (
	documentsFile      = "file"
	documentsParagraph = "paragraph"
	documentsLine      = "line"
)

// formatOf returns the format of a file by its extension, without the one that says how it is compressed, or nil for a file that is not one
// of ours. WARC files are compressed within, by gzip or zstd: whether they are is not in their names.
func formatOf(name string) (match *format, compression string) {
	rest, compression := compressed.Cut(strings.ToLower(name))
	extension := path.Ext(rest)
	for _, f := range formats {
		if slices.Contains(f.extensions, extension) && (!f.isArchive() || slices.Contains([]string{"", ".gz", ".zst"}, compression)) {
			return f, compression
		}
	}
	return nil, compression
}

// formatOf returns the format of a file: the one that is asked for, or else by its
// extension or, if that is not one of ours and the name matches the layout, by the last
// one in the pattern, as of page.html.ru by {page}.html.{language}.
func (c Config) formatOf(layout layout.Layout, name string) (match *format, compression string) {
	match, compression = formatOf(name)
	if c.Format != formatAuto {
		return formatNamed(c.Format), compression
	}
	if _, _, ok := layout.Read(name); match != nil || !ok {
		return match, compression
	}
	for part := range strings.FieldsFuncSeq(c.Layout, func(r rune) bool { return r == '.' || r == '/' }) {
		if candidate, _ := formatOf("." + part); candidate != nil {
			match = candidate
		}
	}
	return match, compression
}

// unread says of the name of a web archive that is not read what to give in its
// place, or "".
func unread(name string) string {
	rest, _ := compressed.Cut(strings.ToLower(name))
	switch extension := path.Ext(rest); extension {
	case ".wat":
		return "WAT files hold what was found out about pages, not the pages: give the .warc.gz or .warc.wet.gz files of the same crawl"
	case ".arc":
		return "ARC files are not read: convert them to WARC, as by `warcio recompress FILE.arc.gz FILE.warc.gz`"
	}
	return ""
}

// isArchive says whether files of the format are web archives.
func (f *format) isArchive() bool { return f.records != nil }

// otherArchive returns the name of the format in which the records of a web archive, counted by their types, would be
// read, or "".
func (f *format) otherArchive(counts map[string]int64) string {
	for _, candidate := range formats {
		if candidate != f && slices.ContainsFunc(candidate.records, func(kind string) bool { return counts[kind] > 0 }) {
			return candidate.name
		}
	}
	return ""
}
