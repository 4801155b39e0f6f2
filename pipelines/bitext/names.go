package bitext

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/read/compressed"
)

// Formats of sources.
const (
	formatAligned = "aligned" // files whose lines translate each other
	formatTSV     = "tsv"
	formatCSV     = "csv"
	formatJSON    = "jsonl"
	formatTMX     = "tmx"
	formatParquet = "parquet"
)

// anyJSON is the end of names of JSON of whatever form, which need not hold texts.
const anyJSON = ".json"

// extensions are those of files that are sources alone.
var extensions = map[string]string{
	".tsv": formatTSV, ".tab": formatTSV, ".csv": formatCSV, ".jsonl": formatJSON, ".ndjson": formatJSON, anyJSON: formatJSON,
	".tmx": formatTMX, ".parquet": formatParquet,
}

// noLanguages are ends of names that are codes of languages and mostly stand for something
// else. They are languages where --languages names them, or the name of the corpus does beside
// another one, as in .en-new.
var noLanguages = []string{"src", "tgt", "trg", "old", "new", "raw", "tok", "bpe", "sgm", "trn", "tst", "dev", "val", "lst", "map", "vec",
	"dic", "cpp", "yml", "sha", "asc", "sig", "pid", "ids", "xml", "log", "bin", "tar", "dat", "doc", "ini", "bat", "sh", "so", "lua",
	"tex", "css", "gif", "swf", "wav", "jar", "zip", "cfg", "php", "pas", "sql", "png", "pdf", "bak", "tmp", "img", "iso", "key", "lib",
	"mid", "mov", "rar", "rtf", "vim", "diz", "nfo"}

// name is what the name of a file tells.
type name struct {
	corpus   string // without language and compression
	format   string
	language string // of an aligned file: the tag as it is there
	// pair are the tags of a corpus that names its two languages, in their order.
	pair []string
}

// readName reads the name of a file; false for one that tells no format, or a language that
// is mostly none and not wanted.
func readName(file string, codes []string) (n name, ok bool) {
	rest, _ := compressed.Cut(file)
	extension := path.Ext(rest)
	if format := extensions[strings.ToLower(extension)]; format != "" {
		n = name{corpus: rest, format: format}
		_, n.pair = cutPair(strings.TrimSuffix(rest, extension))
		return n, true
	}
	if lower := strings.ToLower(extension); lower == ".txt" || lower == ".text" {
		rest = strings.TrimSuffix(rest, extension)
		extension = path.Ext(rest)
		if path.Base(rest) != extension && extension == "" { // en.txt
			extension = "." + path.Base(rest)
			rest = path.Join(path.Dir(rest), extension)
		}
	}
	tag := strings.TrimPrefix(extension, ".")
	if !isLanguage(tag) {
		return n, false
	}
	n = name{corpus: strings.TrimSuffix(rest, extension), format: formatAligned, language: tag}
	if n.corpus == "" {
		n.corpus = "."
	}
	if _, pair := cutPair(n.corpus); slices.Contains(pair, tag) {
		n.pair = pair
		return n, true
	}
	return n, !isEnding(tag) || language.MatchesAny(codeOf(tag), codes)
}

// cutPair returns the two languages at the end of the name of a corpus, as of
// Books.de-en or WikiMatrix.pt_br-zh-Hans, if it tells them.
func cutPair(corpus string) (prefix string, pair []string) {
	last := path.Ext(path.Base(corpus))
	if last == "" {
		last = "." + path.Base(corpus)
	}
	tags := last[1:]
	for i := range tags {
		if tags[i] == '-' && isLanguage(tags[:i]) && isLanguage(tags[i+1:]) && !(isEnding(tags[:i]) && isEnding(tags[i+1:])) {
			return strings.TrimSuffix(corpus, tags), []string{tags[:i], tags[i+1:]}
		}
	}
	return corpus, nil
}

// isEnding says that a code of a language is mostly another end of a name.
func isEnding(tag string) bool { return slices.Contains(noLanguages, strings.ToLower(tag)) }

func isLanguage(tag string) bool {
	if len(tag) < 2 {
		return false
	}
	code, err := language.Parse(tag)
	return err == nil && code != language.Undetermined
}

// Source is a corpus. It travels to workers.
type Source struct {
	// Name is that of the corpus, which is the origin of its pairs.
	Name   string
	Format string
	Files  []File
	// Languages are those of the texts of a record, in their order, with those of units of TMX,
	// which tell their own, as far as they are known.
	Languages []string
	// Table, of tables, and Fields, of JSON and Parquet, say where the texts are.
	Table  *tableColumns `json:",omitempty"`
	Fields *fieldColumns `json:",omitempty"`

	// Elements says that the records of JSON are elements of an array, or take several lines.
	Elements bool `json:",omitempty"`

	// IDs and Scores say that the last files are those that OPUS puts beside texts, see takeBeside.
	IDs    bool `json:",omitempty"`
	Scores bool `json:",omitempty"`

	lines int64 // or units of TMX, or row groups of Parquet
	// texts counts the records with a text in a language, where not all need have one.
	texts map[string]int64
	// unread are the columns of Parquet that hold numbers or truth values, and which nothing names.
	unread []string
}

// content counts the bytes of the files as they are decompressed, as far as that is known.
func (s Source) content() (sum int64) {
	for _, f := range s.Files {
		sum += max(f.Bytes, f.expanded)
	}
	return sum
}

func (s Source) bytes() (sum int64) {
	for _, f := range s.Files {
		sum += f.Bytes
	}
	return sum
}

// group finds the corpora of files by their names, in the order of the corpora's; remaining are
// the files that belong to none. Of files that are aligned those in other languages than the
// wanted ones are not part of a corpus that has two of these. Absent says of a side that has no
// other one where that is.
func group(files []File, codes []string, absent func(side File, counterpart string) string) (sources []Source, remaining []string,
	err error) {
	type member struct {
		file File
		name name
	}
	unwanted := func(tag string) bool { return len(codes) > 0 && !language.MatchesAny(codeOf(tag), codes) }
	type corpusKey struct {
		input  int
		corpus string
	}
	aligned := map[corpusKey][]member{}
	var unnamed []File
	for _, f := range files {
		n, ok := readName(f.path(), codes)
		switch {
		case !ok:
			unnamed = append(unnamed, f)
		case n.format == formatAligned:
			key := corpusKey{f.Input, n.corpus}
			aligned[key] = append(aligned[key], member{f, n})
		default:
			s := Source{Name: n.corpus, Format: n.format, Files: []File{f}}
			for _, tag := range n.pair {
				s.Languages = append(s.Languages, codeOf(tag))
			}
			sources = append(sources, s)
		}
	}
	var errs fault.List
	for key, members := range aligned {
		corpus := key.corpus
		slices.SortFunc(members, func(a, b member) int {
			return cmp.Or(cmp.Compare(slices.Index(a.name.pair, a.name.language), slices.Index(b.name.pair, b.name.language)),
				cmp.Compare(a.file.path(), b.file.path()))
		})
		first := members[0].name
		if len(members) == 1 {
			if first.pair == nil || slices.ContainsFunc(first.pair, unwanted) { // a name that happens to end like that, or none of ours
				remaining = append(remaining, members[0].file.path())
				continue
			}
			missing := first.pair[0]
			if missing == first.language {
				missing = first.pair[1]
			}
			errs.Addf("%s has no other side: %s", members[0].file.path(), absent(members[0].file, corpus+"."+missing))
			continue
		}
		if rest := slices.DeleteFunc(slices.Clone(members), func(m member) bool { return unwanted(m.name.language) }); len(rest) > 1 {
			members = rest
		}
		s := Source{Name: corpus, Format: formatAligned}
		for _, m := range members {
			code := codeOf(m.name.language)
			if i := slices.Index(s.Languages, code); i >= 0 && !unwanted(m.name.language) {
				errs.Addf("%s and %s are both in %s: keep one of them", s.Files[i].path(), m.file.path(), code)
			}
			s.Languages, s.Files = append(s.Languages, code), append(s.Files, m.file)
		}
		sources = append(sources, s)
	}
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	slices.SortFunc(sources, func(a, b Source) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Files[0].path(), b.Files[0].path()),
			cmp.Compare(a.Files[0].Input, b.Files[0].Input))
	})
	for _, f := range takeBeside(sources, unnamed) {
		remaining = append(remaining, f.path())
	}
	slices.Sort(remaining)
	return sources, remaining, errs.Err()
}

func codeOf(tag string) string {
	code, _ := language.Parse(tag)
	return code
}

// place names a source for messages.
func (s Source) place() string {
	var names []string
	for _, f := range s.Files {
		names = append(names, f.path())
	}
	return strings.Join(names, ", ")
}

// isAnyJSON says that the name of a source tells of JSON and not that it has records.
func (s Source) isAnyJSON() bool {
	rest, _ := compressed.Cut(s.Files[0].path())
	return strings.EqualFold(path.Ext(rest), anyJSON)
}

// path is the name of a file below its input.
func (f File) path() string {
	if f.Member == "" {
		return f.Name
	}
	return f.Name + "/" + f.Member
}

// File is a file of an input, or one in an archive. It travels to workers.
type File struct {
	// Input is the number of the folder among those of the inputs; Name is the file's name in it.
	Input int
	Name  string
	// Member is the name of the file in the archive that Name is, or "".
	Member string `json:",omitempty"`
	// Bytes is the size for which the job was planned: of the file, or of the member as it
	// is compressed.
	Bytes int64

	// See survey: where the file can be cut, and its bytes as it is decompressed, 0 if unknown.
	marks    []int64
	expanded int64
}

// String implements fmt.Stringer.
func (f File) String() string { return fmt.Sprintf("%s (%d bytes)", f.path(), f.Bytes) }
