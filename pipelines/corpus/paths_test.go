package corpus_test

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/storage"
)

// planOf plans a corpus.
func planOf(t testing.TB, shardBytes int64, args ...string) (*units.Job, error) {
	t.Helper()
	return pipelinetest.Parse[corpus.Config](t, args...).Plan(t.Context(), filepath.Join(t.TempDir(), "out"),
		pipelinetest.Settings(shardBytes))
}

// pathsFile writes a list of paths and returns where it lies.
func pathsFile(t testing.TB, name, content string) string {
	t.Helper()
	root := t.TempDir()
	if strings.HasSuffix(name, ".gz") {
		content = members(t, content)
	}
	pipelinetest.File(t, root, name, content)
	return filepath.Join(root, name)
}

// A list names the files that are read, in any order, and no others.
func TestPaths(t *testing.T) {
	root := t.TempDir()
	writeArchives(t, root, 4, 5)
	pipelinetest.File(t, root, "page.html", htmlPage(100))
	pipelinetest.File(t, root, "_hidden/page.html", htmlPage(101))
	var first *units.Job
	for name, content := range map[string]string{
		"a.paths":    "00.warc.gz\nsub/01.warc\npage.html\n_hidden/page.html\n",
		"b.paths.gz": "page.html\n_hidden/page.html\nsub/01.warc\n00.warc.gz",
		"c.paths":    "\ufeffsub/01.warc\r\n\r\n  00.warc.gz\r\npage.html\r\n_hidden/page.html\r\n",
	} {
		job, err := planOf(t, 1<<20, "--input", root, "--paths", pathsFile(t, name, content))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = job
		}
		if job.Plan.Hash != first.Plan.Hash || job.Plan.Inputs[0].Files != 4 || job.Plan.Inputs[0].Role != corpus.RolePaths {
			t.Errorf("%s: plan %s of %+v, want %s", name, job.Plan.Hash, job.Plan.Inputs, first.Plan.Hash)
		}
	}
	location, _ := run(t, 1<<20, 2, "--input", root, "--paths", pathsFile(t, "a.paths", "sub/01.warc\npage.html\n"))
	sources := map[string]int{}
	for _, d := range pipelinetest.Rows[schemas.Document](t, location) {
		sources[d.Source]++
	}
	if diff := cmp.Diff(map[string]int{"sub/01.warc": 4, "page.html": 1}, sources); diff != "" {
		t.Error(diff)
	}
	// The whole folder by a list gives the rows that it gives without one.
	_, listed := run(t, 1<<20, 2, "--input", root, "--paths",
		pathsFile(t, "a.paths", "00.warc.gz\n02.warc.gz\npage.html\nsub/01.warc\nsub/03.warc\n"))
	if _, m := run(t, 1<<20, 2, "--input", root); m.ContentXXH3 != listed.ContentXXH3 {
		t.Errorf("content %s, want %s", listed.ContentXXH3, m.ContentXXH3)
	}
}

// Lists that are refused, and why.
func TestBadPaths(t *testing.T) {
	root := t.TempDir()
	writeArchives(t, root, 2, 1)
	for _, test := range []struct{ content, want string }{
		{"", "names no file"},
		{"\n \n", "names no file"},
		{"00.warc.gz\n\n00.warc.gz\n", `line 3: "00.warc.gz" is in line 1 already`},
		{"00.warc.gz\n../00.warc.gz\n", `line 2: "../00.warc.gz": it leads out of the folder`},
		{"sub/../../00.warc.gz\n", "line 1"},
		{"/00.warc.gz\n", "it is an absolute path"},
		{"https://data.commoncrawl.org/crawl-data/00.warc.gz\n", "it is an address"},
		{"s3://commoncrawl/crawl-data/00.warc.gz\n", "it is an address"},
		{"sub//01.warc\n", `it is not a plain name: write "sub/01.warc"`},
		{"./sub/01.warc\n", `write "sub/01.warc"`},
		{"sub/\xff.warc\n", "not UTF-8"},
		{"part-00000.c000.gz.parquet\n", "its ending is not one of .html"},
		{"a.warc.wat.gz\n", "WAT files"},
		{"a.arc.gz\n", "warcio recompress"},
		{"sub/01.warc\nsub/02.warc\n", `line 2: ` + root + ` holds no file "sub/02.warc"`},
		{"sub\n", "its ending is not one of"},
		{strings.Repeat("nothing/0.warc\n", 1) +
			"nothing/1.warc\nnothing/2.warc\nnothing/3.warc\nnothing/4.warc\nnothing/5.warc\nnothing/6.warc\nnothing/7.warc\n",
			"and 3 lines more"},
		{strings.Repeat("x", 5000) + "\n", "line 1: it is longer than"},
		{"{\"a\": 1}\n", "its ending is not one of"},
	} {
		_, err := planOf(t, 1<<20, "--input", root, "--paths", pathsFile(t, "x.paths", test.content))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.50q: %v", test.content, err)
		}
	}
	for want, args := range map[string][]string{
		"no such file":           {"--paths", filepath.Join(root, "none")},
		"paths-bytes needs":      {"--paths-bytes", "1GiB"},
		`scheme "s3" is not`:     {"--input", "s3://commoncrawl", "--paths", pathsFile(t, "x.paths", "a.warc\n"), "--paths-bytes", "1GiB"},
		"none is read; the only": {"--paths", pathsFile(t, "x.paths", "sub/01.warc\n"), "--layout", "{language}/{page}.html"},
		"decompress: unexpected": {"--paths", pathsFile(t, "y.paths", "\x1f\x8b")},
	} {
		if !slices.Contains(args, "--input") {
			args = append(args, "--input", root)
		}
		config, err := pipelinetest.Configure[corpus.Config](args...)
		if err == nil {
			_, err = config.Plan(t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1))
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	inside := filepath.Join(root, "out")
	config := pipelinetest.Parse[corpus.Config](t, "--input", root, "--paths", pathsFile(t, "x.paths", "out/a.warc\n"))
	if _, err := config.Plan(t.Context(), inside, pipelinetest.Settings(1)); err == nil || !strings.Contains(err.Error(), "output folder") {
		t.Errorf("%v", err)
	}
}

// dump is a list like that of a dump of Common Crawl: 100 segments of 900 files.
func dump() string {
	var b strings.Builder
	for segment := range 100 {
		for i := range 900 {
			fmt.Fprintf(&b, "crawl-data/CC-MAIN-2024-22/segments/17159710%05d.%02d/warc/CC-MAIN-20240517233122-20240518023122-%05d.warc.gz\n",
				577*segment+7216, segment, i)
		}
	}
	return b.String()
}

// remote is a folder that tells sizes alone, and counts how often it is asked.
type remote struct {
	storage.Folder // nothing else is called
	names          []string
	lists, stats   atomic.Int64
}

const remoteSize = 1_100_000_000

func (r *remote) String() string { return "remote://bucket" }

func (r *remote) Stat(_ context.Context, name string) (storage.Info, error) {
	r.stats.Add(1)
	if _, found := slices.BinarySearch(r.names, name); !found {
		return storage.Info{}, fs.ErrNotExist
	}
	return storage.Info{Name: name, Size: remoteSize}, nil
}

func (r *remote) List(_ context.Context, prefix string) iter.Seq2[storage.Info, error] {
	r.lists.Add(1)
	return func(yield func(storage.Info, error) bool) {
		from, _ := slices.BinarySearch(r.names, prefix)
		for _, name := range r.names[from:] {
			if !strings.HasPrefix(name, prefix) || !yield(storage.Info{Name: name, Size: remoteSize}, nil) {
				return
			}
		}
	}
}

// The plan of a dump asks for a listing of each of its segments, and for no file.
func TestPathsOfADump(t *testing.T) {
	list := dump()
	bucket := &remote{names: strings.Fields(list)}
	bucket.names = append(bucket.names, "crawl-data/CC-MAIN-2024-22/segments/others/warc/x.warc.gz")
	slices.Sort(bucket.names)
	storage.Register("remote", func(string) (storage.Folder, error) { return bucket, nil })
	job, err := planOf(t, 64<<20, "--input", "remote://bucket", "--paths", pathsFile(t, "warc.paths.gz", list))
	if err != nil {
		t.Fatal(err)
	}
	if in := job.Plan.Inputs[0]; job.Plan.Units != 90_000 || in.Files != 90_000 || in.Bytes != 90_000*remoteSize {
		t.Errorf("%d units of %+v", job.Plan.Units, in)
	}
	if lists, stats := bucket.lists.Load(), bucket.stats.Load(); lists != 100 || stats != 0 {
		t.Errorf("%d listings, %d files asked for", lists, stats)
	}
	// A few files are asked for one by one, and what is missing is told.
	lines := strings.SplitN(list, "\n", 5)[:4]
	job, err = planOf(t, 64<<20, "--input", "remote://bucket", "--paths", pathsFile(t, "few.paths", strings.Join(lines, "\n")))
	if err != nil || job.Plan.Units != 66 || bucket.lists.Load() != 100 || bucket.stats.Load() != 4 {
		t.Errorf("%v, %d listings, %d files asked for", err, bucket.lists.Load(), bucket.stats.Load())
	}
	_, err = planOf(t, 64<<20, "--input", "remote://bucket", "--paths",
		pathsFile(t, "few.paths", list+"crawl-data/CC-MAIN-2024-22/segments/none/warc/x.warc.gz\n"))
	if err == nil || !strings.Contains(err.Error(), "line 90001: remote://bucket holds no file") {
		t.Error(err)
	}
}

// A plan of assumed sizes needs no file, says so, and cannot be run.
func TestAssumedSizes(t *testing.T) {
	args := []string{"--input", filepath.Join(t.TempDir(), "nowhere"), "--paths", pathsFile(t, "warc.paths.gz", dump()), "--paths-bytes",
		"1.1GB"}
	job, err := planOf(t, 64<<20, args...)
	if err != nil {
		t.Fatal(err)
	}
	if in := job.Plan.Inputs[0]; job.Plan.Units != 90_000 || in.Bytes != 90_000*remoteSize {
		t.Errorf("%d units of %+v", job.Plan.Units, in)
	}
	if notes := strings.Join(job.Notes, "\n"); !strings.Contains(notes, "the sizes are assumed") ||
		!strings.Contains(notes, "90000 of 90000 files are larger than ") {
		t.Error(notes)
	}
	for _, runner := range []pipelinetest.Runner{pipelinetest.Plain(1), pipelinetest.Local(1)} {
		if _, err := runner(t.Context(), job); err == nil || !strings.Contains(err.Error(), "leave --paths-bytes out") {
			t.Errorf("it runs: %v", err)
		}
	}
	if found, _ := filepath.Glob(job.Output + "*"); len(found) > 0 {
		t.Errorf("there is %s", found)
	}
	// WET files are smaller: several make a unit.
	wet := strings.ReplaceAll(strings.ReplaceAll(dump(), "/warc/", "/wet/"), ".warc.gz", ".warc.wet.gz")
	if job, err = planOf(t, 1<<30, "--input", "nowhere", "--paths", pathsFile(t, "wet.paths.gz", wet), "--paths-bytes",
		"100MiB"); err != nil || job.Plan.Units != 8789 {
		t.Errorf("%v, %d units", err, job.Plan.Units) // 90,000 × 100 / 1024
	}
}

// BenchmarkPlanOfADump plans the 90,000 files of a dump by their list.
func BenchmarkPlanOfADump(b *testing.B) {
	paths := pathsFile(b, "warc.paths.gz", dump())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := planOf(b, 64<<20, "--input", "nowhere", "--paths", paths, "--paths-bytes", "1.1GB"); err != nil {
			b.Fatal(err)
		}
	}
}
