package corpus_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
)

// A sample is a function of the addresses, lies within a larger one, and has about its share of the pages.
func TestSample(t *testing.T) {
	root := t.TempDir()
	var records, lines, texts []string
	const pages = 200
	for n := range pages {
		address := fmt.Sprintf("http://a.example/%d", n)
		records = append(records, crawl(address, found, htmlPage(n))...)
		lines = append(lines, fmt.Sprintf(`{"url": %q, "text": %q}`, address, prose(n)))
		texts = append(texts, prose(n))
		pipelinetest.File(t, root, fmt.Sprintf("html/%03d.html", n), htmlPage(n))
	}
	pipelinetest.File(t, root, "warc/a.warc.gz", members(t, records...))
	pipelinetest.File(t, root, "jsonl/a.jsonl", strings.Join(lines, "\n"))
	pipelinetest.File(t, root, "text/a.txt", strings.Join(texts, "\n"))
	taken := func(folder, share string) map[string]bool {
		location, _ := run(t, 1<<20, 2, "--input", root+"/"+folder, "--sample", share, "--documents", "line", "--main", "none")
		set := map[string]bool{}
		for _, d := range pipelinetest.Rows[schemas.Document](t, location) {
			set[d.URL+map[bool]string{true: d.ID}[d.URL == ""]] = true
		}
		return set
	}
	ofCrawl := taken("warc", "0.25")
	for _, folder := range []string{"warc", "jsonl", "html", "text"} {
		small, large := taken(folder, "0.1"), taken(folder, "0.25")
		// Four standard deviations of binomial counts.
		if len(small) < 20-17 || len(small) > 20+17 || len(large) < 50-25 || len(large) > 50+25 {
			t.Errorf("%s: samples of %d and %d of %d", folder, len(small), len(large), pages)
		}
		for id := range small {
			if !large[id] {
				t.Errorf("%s: %s is in the smaller sample alone", folder, id)
			}
		}
		for id := range large {
			if folder == "jsonl" && !ofCrawl[id] {
				t.Errorf("%s is in the sample of one format alone", id)
			}
		}
	}
	_, err := planOf(t, 1, "--input", root+"/html", "--sample", "1e-9")
	if err == nil || !strings.Contains(err.Error(), "not in the sample of 1e-09") {
		t.Errorf("a sample of nothing: %v", err)
	}
}

// A limit takes the first pages of each file that are asked for, in every format, however small the units, and reads no damage behind them.
func TestLimit(t *testing.T) {
	root := t.TempDir()
	var records, lines, texts []string
	for n := range 20 {
		address := fmt.Sprintf("http://a.example/%d", n)
		records = append(records, crawl(address, "404 Not Found\r\nContent-Type: text/html", htmlPage(n))...) // does not count
		records = append(records, crawl(address, found, htmlPage(n))...)
		lines = append(lines, fmt.Sprintf(`{"url": %q, "text": %q}`, address, prose(n)))
		texts = append(texts, prose(n))
	}
	for _, name := range []string{"a", "b"} {
		archive := members(t, records...)
		pipelinetest.File(t, root, "warc/"+name+".warc.gz", archive[:len(archive)-9])
		pipelinetest.File(t, root, "jsonl/"+name+".jsonl", strings.Join(lines, "\n")+"\n{")
		pipelinetest.File(t, root, "text/"+name+".txt", strings.Join(texts, "\n"))
		compressed := members(t, strings.Join(texts, "\n"))
		pipelinetest.File(t, root, "gzip/"+name+".txt.gz", compressed[:len(compressed)-9])
	}
	for _, folder := range []string{"warc", "jsonl", "text", "gzip"} {
		var want []string
		location, _ := run(t, 1<<20, 1, "--input", root+"/"+folder, "--documents", "line", "--main", "none")
		places := map[string]int{}
		for _, d := range pipelinetest.Rows[schemas.Document](t, location) {
			if places[d.Source]++; places[d.Source] <= 3 {
				want = append(want, d.ID)
			}
		}
		limited, m := run(t, 1<<10, 2, "--input", root+"/"+folder, "--documents", "line", "--main", "none", "--limit", "3")
		var got []string
		for _, d := range pipelinetest.Rows[schemas.Document](t, limited) {
			got = append(got, d.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got) != 6 {
			t.Errorf("%s: %d documents: %s", folder, len(got), diff)
		}
		for reason := range m.Funnel.Chains[0].Steps[0].Total().Dropped {
			if strings.HasPrefix(reason, "damaged") {
				t.Errorf("%s: read on to what is %s", folder, reason)
			}
		}
	}
	if err := (corpus.Selection{Limit: -1}).Validate(); err == nil || err.Error() != "limit -1 is negative" {
		t.Errorf("a negative limit: %v", err)
	}
}

// More damage than is allowed ends a run before its dataset is complete, on every runner; with more allowed it goes on.
func TestMaxErrorRate(t *testing.T) {
	root := t.TempDir()
	writeArchives(t, root, 4, 5) // of 20 answers four have no page, which is no damage
	pipelinetest.File(t, root, "damaged.warc.gz", members(t, crawl("http://b.example/", found, htmlPage(0))...)[:100])
	whole, m := run(t, 1<<10, 1, "--input", root)
	if n := m.Funnel.Chains[0].Steps[0].Total().Dropped["damaged_gzip"]; n != 1 {
		t.Fatalf("%d records are damaged", n)
	}
	output := filepath.Join(t.TempDir(), "out")
	for name, runner := range map[string]pipelinetest.Runner{"plain": pipelinetest.Plain(2), "local": pipelinetest.Local(2),
		"without Beam": pipelinetest.WithoutBeam(1)} {
		job, err := pipelinetest.Parse[corpus.Config](t, "--input", root, "--max-error-rate", "0.04").Plan(t.Context(), output,
			pipelinetest.Settings(1<<10))
		if err == nil {
			_, err = runner(t.Context(), job)
		}
		const want = "1 of 21, 4.76 %, and the limit is 4 %, such as damaged.warc.gz:0"
		if !errors.Is(err, dataset.ErrTooManyErrors) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	enough := pipelinetest.Parse[corpus.Config](t, "--input", root, "--max-error-rate", "0.05")
	pipelinetest.RunTo(t, enough, output, pipelinetest.Settings(1<<10), pipelinetest.Local(2))
	if diff := cmp.Diff(pipelinetest.Digests(t, whole), pipelinetest.Digests(t, output)); diff != "" {
		t.Error(diff)
	}
}

// What the header of a page in WET says, which languages are wanted, and whether the page is read.
func TestHeaderLanguages(t *testing.T) {
	for _, test := range []struct {
		header, languages string
		read              bool
	}{
		{"spa", "eng", false}, {"spa,fra", "eng,deu", false},
		{"spa,eng", "eng", true}, {"eng", "en", true}, {"", "eng", true}, {"spa,xx-unknown", "eng", true},
		{"nor", "nob", true}, {"zho", "zho_Hant", true}, {"cmn", "zho", true},
	} {
		root := t.TempDir()
		header := "WARC-Identified-Content-Language: " + test.header + "\r\n"
		pipelinetest.File(t, root, "a.wet", warcRecord("conversion", "http://a.example/", header, prose(0)))
		_, m := run(t, 1<<20, 1, "--input", root, "--languages", test.languages, "--header-languages")
		dropped := pipelinetest.Dropped(m)["documents read header_language"]
		if (dropped == 0) != test.read || m.Funnel.Chains[0].Steps[0].Total().In != 1 {
			t.Errorf("%+v: %v", test, pipelinetest.Dropped(m))
		}
	}
	for file, want := range map[string]bool{"a.warc": true, "a.wet": false} {
		root := t.TempDir()
		pipelinetest.File(t, root, file, warcRecord("conversion", "http://a.example/", "", prose(0)))
		job, err := planOf(t, 1<<20, "--input", root, "--languages", "eng", "--header-languages")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(job.Notes, "\n"), "header-languages has no effect"); got != want {
			t.Errorf("%s: notes %q", file, job.Notes)
		}
	}
	_, err := pipelinetest.Configure[corpus.Config]("--input", "x", "--header-languages")
	if err == nil || !strings.Contains(err.Error(), "needs languages") {
		t.Error(err)
	}
}
