package ingest_test

import (
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/format"

	"sentweave/pipelines/memory/ingest"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas/parquetfile/parquetfiletest"
)

// A file that claims more than it holds is an error that names it, and the way out.
func TestHostileParquet(t *testing.T) {
	want := map[string]string{
		"two values of 700 MB":                           `a page of column "text": 700000004 bytes, decompressed, more than`,
		"a random dictionary of 1 MB for 3 million rows": "64 times those that they take in the file; write the file anew",
		"a list of 2 billion row groups":                 "a list of Thrift has 2147483647 elements",
	}
	for _, a := range parquetfiletest.Attacks(t) {
		part, ok := want[a.Name]
		if !ok {
			continue
		}
		path := file(t, "attack.parquet", a.File)
		config := pipelinetest.Parse[ingest.Config](t, "--input="+path)
		err := pipelinetest.Fails(t, config, pipelinetest.Settings(1))
		if !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), "attack.parquet") {
			t.Errorf("%s: %v", a.Name, err)
		}
	}
}

// Rows that are far larger than a text are rejected, and others of the file are not.
func TestLargeRows(t *testing.T) {
	large, name := strings.Repeat("a text ", 3<<20), strings.Repeat("x", 5_000)
	columns := map[string][]string{
		"text": {"one", large, "three"}, "translation": {"uno", "dos", "tres"}, "source_language": {"eng", "eng", "eng"},
		"target_language": {"spa", "spa", "spa"}, "model": {"m", "m", name},
	}
	var chunks []parquetfiletest.Chunk
	for _, column := range []string{"text", "translation", "source_language", "target_language", "model"} {
		body := parquetfiletest.Texts(columns[column]...)
		chunks = append(chunks, parquetfiletest.Chunk{Name: column, Pages: parquetfiletest.Page(t, body, len(body), 3, format.Plain)})
	}
	rows, m := run(t, "--input="+file(t, "large.parquet", parquetfiletest.File(t, 3, chunks, nil)))
	if len(rows) != 1 || rows[0].Text != "one" {
		t.Errorf("%d rows", len(rows))
	}
	if n := byPair(m)["eng-spa too_large"]; n != 2 {
		t.Errorf("%d rows are too large: %v", n, byPair(m))
	}
}
