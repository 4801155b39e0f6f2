package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
)

// numbered are documents with addresses and texts by their numbers.
func numbered(numbers ...int) (list []schemas.Document) {
	for _, i := range numbers {
		d := pipelinetest.DocumentOf(i, "eng", pipelinetest.Sentence("eng", i))
		d.URL = fmt.Sprintf("https://example.org/%d", i)
		list = append(list, d)
	}
	return list
}

// Damage of what dedup keeps for --extend is no damage of the rows: verify says so, and advises what --extend advises, which helps.
func TestKeptKeysDamaged(t *testing.T) {
	documents := datasettest.Write(t, nil, numbered(1, 2), numbered(3))
	more := datasettest.Write(t, nil, numbered(1, 2), numbered(3), numbered(4))
	survivors, grown := filepath.Join(t.TempDir(), "survivors"), filepath.Join(t.TempDir(), "grown")
	sentweave(t, "dedup", "--documents", documents, "--shard-bytes=1", "--out", survivors).expect(t, 0, []string{}, []string{})
	files, err := filepath.Glob(filepath.Join(survivors, "_run", "exchange", "*"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	if err := os.Truncate(files[1], 20); err != nil {
		t.Fatal(err)
	}
	sentweave(t, "verify", survivors).expect(t, 1, []string{filepath.Base(files[1]), "is whole: 3 rows",
		"only `sentweave dedup --extend` reads a file of _run/exchange; delete what is damaged there, and it reads the rows of that unit instead",
		"!that made the dataset"}, nil)
	extend := []string{"dedup", "--documents", more, "--extend", survivors, "--shard-bytes", "1", "--out", grown}
	sentweave(t, extend...).expect(t, 1, nil,
		[]string{filepath.Base(files[1]), "delete that file and run the same command again: it reads the rows of that unit instead"})
	if err := os.Remove(files[1]); err != nil {
		t.Fatal(err)
	}
	sentweave(t, "verify", survivors).expect(t, 0, []string{"is whole: 3 rows"}, nil)
	sentweave(t, extend...).expect(t, 0, []string{}, []string{})
	sentweave(t, "verify", grown).expect(t, 0, []string{"is whole: 4 rows"}, nil)
	shard := filepath.Join(survivors, dataset.ShardName(0))
	if err := os.Truncate(shard, 20); err != nil {
		t.Fatal(err)
	}
	sentweave(t, "verify", survivors).expect(t, 1, []string{"part-00000.parquet", "that made the dataset", "!is whole", "!--extend"}, nil)
}

// Damage of what only an extension or a repair reads is no damage of the rows: verify names each file, and a copy without them has none.
func TestRunDamaged(t *testing.T) {
	for name, damage := range map[string]func(name string) error{
		"_run/plan.json": cut, "_run/plan/*/00000.json": cut, "_run/units/00001.json": cut, "_run/units/00000.json": os.Remove,
		"_run/counts/*00001.parquet": cut,
	} {
		documents := datasettest.Write(t, nil, numbered(1, 2), numbered(3))
		survivors := filepath.Join(t.TempDir(), "survivors")
		sentweave(t, "dedup", "--documents", documents, "--shard-bytes=1", "--out", survivors).expect(t, 0, []string{}, []string{})
		files, err := filepath.Glob(filepath.Join(survivors, name))
		if err != nil || len(files) != 1 {
			t.Fatal(name, files, err)
		}
		if err := damage(files[0]); err != nil {
			t.Fatal(err)
		}
		sentweave(t, "verify", survivors).expect(t, 1, []string{filepath.Base(files[0]), "corrupt", "is whole: 3 rows",
			"without these files of _run no row is lost, but the dataset cannot be extended or repaired", "!that made the dataset"}, nil)
		if err := os.RemoveAll(filepath.Join(survivors, "_run")); err != nil {
			t.Fatal(err)
		}
		sentweave(t, "verify", survivors).expect(t, 0, []string{"is whole: 3 rows"}, nil)
	}
}

func cut(name string) error { return os.Truncate(name, 20) }

// A dataset that was erased from twice tells of both lists, whatever becomes of the first one.
func TestEraseTwice(t *testing.T) {
	root := t.TempDir()
	path := func(name string) string { return filepath.Join(root, name) }
	for _, page := range []string{"2", "3", "4"} {
		if err := os.WriteFile(path(page+".txt"), []byte("https://example.org/"+page+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	documents := datasettest.Write(t, nil, numbered(1, 2), numbered(3), numbered(4))
	first := []string{"erase", "--documents", documents, "--urls", path("2.txt"), "--out", path("first")}
	second := []string{"erase", "--documents", path("first"), "--urls", path("3.txt"), "--out", path("second")}
	sentweave(t, first...).expect(t, 0, []string{"erased 1 of 4 documents"}, []string{})
	certificate := filepath.Join(path("first"), dataset.CertificateName)
	data, err := os.ReadFile(certificate)
	if err == nil {
		err = os.Remove(certificate)
	}
	if err != nil {
		t.Fatal(err)
	}
	sentweave(t, second...).expect(t, 1, nil, []string{"the certificate of", "the same `sentweave erase` writes it again"})
	sentweave(t, first...).expect(t, 0, []string{}, []string{})
	if written, err := os.ReadFile(certificate); err != nil || string(written) != string(data) {
		t.Error("the certificate has other bytes", err)
	}
	sentweave(t, second...).expect(t, 0, []string{"erased 1 of 3 documents"}, []string{})
	if err := os.RemoveAll(path("first")); err != nil {
		t.Fatal(err)
	}
	sentweave(t, "verify", path("second")).expect(t, 0, []string{"is whole: 2 rows", ", then 1 row of manifest"}, nil)
	for _, page := range []string{"2", "3"} {
		sentweave(t, "verify", path("second"), "--urls", path(page+".txt")).expect(t, 0, []string{"of which none is left", "!then"}, nil)
	}
	sentweave(t, "verify", path("second"), "--urls", path("4.txt")).expect(t, 1, nil,
		[]string{"another list was erased: 1 line of --urls", ", then 1 line of"})
}
