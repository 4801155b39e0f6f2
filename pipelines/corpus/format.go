package corpus

import (
	"path"
	"slices"
	"strings"

	"sentweave/transforms/read/layout"
	"sentweave/transforms/read/warc"
)

// Formats of input files.
const (
	formatAuto  = "auto"
	formatHTML  = "html"
	formatText  = "text"
	formatJSONL = "jsonl"
	formatWARC  = "warc"
	formatWET   = "wet"
)

// What is one document in a text file.
const (
	documentsFile      = "file"
	documentsParagraph = "paragraph"
	documentsLine      = "line"
)

const extensions = ".html .htm .xhtml .txt .text .jsonl .ndjson .warc .wet"

// formatOf returns the format of a file by its extension, without ".gz", or ""
// for a file that is none of ours. WARC files are compressed within: whether they
// are does not stand in their names.
func formatOf(name string) (format string, compressed bool) {
	lower := strings.ToLower(name)
	if rest, ok := strings.CutSuffix(lower, ".gz"); ok {
		lower, compressed = rest, true
	}
	switch path.Ext(lower) {
	case ".html", ".htm", ".xhtml":
		return formatHTML, compressed
	case ".txt", ".text":
		return formatText, compressed
	case ".jsonl", ".ndjson":
		return formatJSONL, compressed
	case ".warc":
		return formatWARC, compressed
	case ".wet":
		return formatWET, compressed
	}
	return "", compressed
}

// formatOf returns the format of a file: the one that is asked for, or else by its
// extension or, if that is none of ours and the name matches the layout, by the last
// one in the pattern, as of page.html.ru by {page}.html.{language}.
func (c Config) formatOf(layout layout.Layout, name string) (format string, compressed bool) {
	format, compressed = formatOf(name)
	if c.Format != formatAuto {
		return c.Format, compressed
	}
	if _, _, ok := layout.Read(name); format != "" || !ok {
		return format, compressed
	}
	for part := range strings.FieldsFuncSeq(c.Layout, func(r rune) bool { return r == '.' || r == '/' }) {
		if of, _ := formatOf("." + part); of != "" {
			format = of
		}
	}
	return format, compressed
}

// unread says of the name of a web archive that is not read what to give in its
// place, or "".
func unread(name string) string {
	extension := path.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))
	switch {
	case extension == ".wat":
		return "WAT files hold what was found out about pages, not the pages: give the .warc.gz or .warc.wet.gz files of the same crawl"
	case extension == ".arc":
		return "ARC files are not read: convert them to WARC, as by `warcio recompress FILE.arc.gz FILE.warc.gz`"
	case extension == ".zst" && strings.HasSuffix(strings.ToLower(name), ".warc.zst"):
		return "WARC files that are compressed by zstd are not read: decompress them, as by `zstd -d`"
	}
	return ""
}

// isArchive says whether files of the format are web archives.
func isArchive(format string) bool { return format == formatWARC || format == formatWET }

// ranked says whether a file of the format is one page, or a part of one, so that
// pages are dealt into parts by the names of files. Elsewhere records are dealt.
func ranked(format string) bool { return format == formatHTML || format == formatText }

// archiveTypes are the records of web archives that hold pages or texts.
func archiveTypes(format string) []string {
	if format == formatWET {
		return []string{warc.Conversion}
	}
	return []string{warc.Response, warc.Resource}
}

// otherArchive returns the format in which the records of a file, counted by their
// types, would be pages, or "".
func otherArchive(format string, counts map[string]int64) string {
	other := formatWET
	if format == formatWET {
		other = formatWARC
	}
	if slices.ContainsFunc(archiveTypes(other), func(kind string) bool { return counts[kind] > 0 }) {
		return other
	}
	return ""
}
