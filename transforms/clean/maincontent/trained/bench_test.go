package trained

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
	"sentweave/transforms/read/html"
)

// everyPage is which pages of WCXB the benchmark takes.
const everyPage = 10

// BenchmarkMainContent finds main content in every tenth page of WCXB, parsing included, and
// tells how many times as long Trafilatura takes if $SENTWEAVE_PYTHON has it, both by the time of processors.
func BenchmarkMainContent(b *testing.B) {
	files, err := filepath.Glob(filepath.Join(realdata.Folder(b, "wcxb"), "wcxb/html/*.gz"))
	if err != nil {
		b.Fatal(err)
	}
	var pages [][]byte
	size := 0
	for i := 0; i < len(files); i += everyPage {
		packed, err := os.ReadFile(files[i])
		if err != nil {
			b.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			b.Fatal(err)
		}
		data, err := io.ReadAll(z)
		if err != nil {
			b.Fatal(err)
		}
		pages, size = append(pages, data), size+len(data)
	}
	m := defaultModel(b)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	kept := 0
	start := peertest.ProcessorSeconds(b)
	for b.Loop() {
		kept = 0
		for _, data := range pages {
			page, reason, _ := html.Parse(data, html.Origin{}, HTML())
			if reason != "" {
				continue
			}
			parts, _, _ := m.Classify(page)
			for _, p := range parts {
				if p.Kept {
					kept++
				}
			}
		}
	}
	ours := (peertest.ProcessorSeconds(b) - start) / float64(b.N*len(pages))
	b.ReportMetric(1000*ours, "CPU-ms/page")
	b.ReportMetric(float64(kept), "blocks-kept")
	if theirs := trafilaturaTime(b, pages); theirs > 0 {
		b.ReportMetric(theirs/float64(len(pages))/ours, "x-trafilatura")
	}
}

// trafilaturaTime is the seconds of a processor that Trafilatura takes for the pages, 0 where it is not there.
func trafilaturaTime(b *testing.B, pages [][]byte) float64 {
	const program = `
import base64, sys, time, trafilatura
pages = [base64.b64decode(line) for line in sys.stdin]
trafilatura.extract(pages[0], include_comments=False)
start = time.process_time()
for page in pages:
    trafilatura.extract(page, include_comments=False)
print(time.process_time() - start)
`
	python := os.Getenv("SENTWEAVE_PYTHON")
	if python == "" || exec.Command(python, "-c", "import trafilatura").Run() != nil {
		return 0
	}
	var in strings.Builder
	for _, data := range pages {
		in.WriteString(base64.StdEncoding.EncodeToString(data) + "\n")
	}
	command := exec.Command(python, "-c", program)
	command.Stdin = strings.NewReader(in.String())
	out, err := command.Output()
	if err != nil {
		b.Fatal(err)
	}
	var seconds float64
	if _, err := fmt.Sscan(string(out), &seconds); err != nil {
		b.Fatal(err)
	}
	return seconds
}
