package pipelines_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/pipelinetest/chain"
)

// BenchmarkCores runs pipelines on 20 MB and 60 MB of pages (of the handbook, if
// SENTWEAVE_HANDBOOK names it) with the units that follow from the input, one at a time and
// two at once, in turn. It reports how many times as long one at a time takes: the median
// over the rounds, of which -benchtime 5x makes five. Only an idle machine tells.
func BenchmarkCores(b *testing.B) {
	for _, megabytes := range []int{20, 60} {
		input := pagesOf(b, megabytes*1e6)
		root := b.TempDir()
		links := slices.DeleteFunc(chain.Links(input, pipelinetest.Vocabulary(b)), func(l chain.Link) bool {
			return !slices.Contains([]string{"documents", "dedup", "wordcounts", "parallel", "consecutive", "examples"}, l.Name)
		})
		chain.Run(b, links, root, pipelinetest.Settings(0), pipelinetest.Local(2))
		for _, l := range links {
			b.Run(fmt.Sprintf("%s/%dMB", l.Name, megabytes), func(b *testing.B) {
				took := [2][]time.Duration{}
				units := 0
				for b.Loop() {
					for i := range took {
						output := filepath.Join(b.TempDir(), "output")
						start := time.Now()
						m := pipelinetest.RunTo(b, l.Config(b, root), output, pipelinetest.Settings(0), pipelinetest.Local(i+1))
						took[i], units = append(took[i], time.Since(start)), m.Plan.Units
						if err := os.RemoveAll(output); err != nil {
							b.Fatal(err)
						}
					}
				}
				one, two := median(took[0]), median(took[1])
				b.ReportMetric(one.Seconds()/two.Seconds(), "x-of-two")
				b.ReportMetric(one.Seconds(), "s-one")
				b.ReportMetric(float64(units), "units")
			})
		}
	}
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// pagesOf returns a folder of about so many bytes of pages, whole ones of all languages.
func pagesOf(b *testing.B, size int) string {
	handbook := os.Getenv("SENTWEAVE_HANDBOOK")
	if handbook == "" {
		return pipelinetest.Corpus{Pages: size / 60_000, Paragraphs: 30, Plain: true}.Write(b)
	}
	var names []string
	err := filepath.WalkDir(handbook, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".html") {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	slices.SortFunc(names, func(x, y string) int {
		return cmp.Or(strings.Compare(filepath.Base(x), filepath.Base(y)), strings.Compare(x, y))
	})
	folder := b.TempDir()
	for _, name := range names {
		page, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		if size -= len(page); size < 0 {
			break
		}
		language := filepath.Join(folder, filepath.Base(filepath.Dir(name)))
		if err := os.MkdirAll(language, 0o777); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(language, filepath.Base(name)), page, 0o666); err != nil {
			b.Fatal(err)
		}
	}
	return folder
}
