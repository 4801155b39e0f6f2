package classifiers

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sentweave/schemas/realdata"
	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/evaluate/evaluatetest"
	"sentweave/stages/evaluate/protocol"
	"sentweave/transforms/testsets/senteval"
)

// The published files give as many rows of each part as SentEval has, with its labels.
func TestSentEvalFolder(t *testing.T) {
	in := &protocol.Input{Split: "test", Probe: ProbePrototyping, Seeds: 1}
	p, err := evaluatetest.Read(t, SentEval, realdata.Folder(t, "senteval", "stsb"), in)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, set := range p.(*classifications).sets {
		got = append(got, set.task.Name)
		for _, f := range set.task.Files {
			want := 0
			for _, other := range set.task.Files {
				if other.Split == f.Split {
					want += other.Rows
				}
			}
			if n := len(set.parts[f.Split]); n != want {
				t.Errorf("%s %s has %d rows, want %d", set.task.Name, f.Split, n, want)
			}
		}
	}
	if fmt.Sprint(got) != "[mr cr mpqa subj sst2 sst5 trec stsb]" {
		t.Errorf("tasks %v", got)
	}
	if want := "senteval in eng: there is no mrpc, sick-e, sick-r, so that averages of which they are a part are not given"; strings.Join(
		in.Notes, "\n") != want {
		t.Errorf("notes %q, want %q", in.Notes, want)
	}
}

// The rows that SentEval's own code makes of MR and SUBJ, by its issues and its output.
func TestSplitlines(t *testing.T) {
	p, err := evaluatetest.Read(t, SentEval, realdata.Folder(t, "senteval"),
		&protocol.Input{Split: "test", Probe: ProbePrototyping, Seeds: 1, Splitlines: true})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"mr": 10685, "subj": 10021, "cr": 3775, "mpqa": 10606}
	for _, set := range p.(*classifications).sets {
		if n := len(set.parts[senteval.Pool]); n != want[set.task.Name] {
			t.Errorf("%s has %d rows, want %d", set.task.Name, n, want[set.task.Name])
		}
	}
}

// MRPC and SICK as SentEval's downloader leaves them, and what is wrong with such files.
func TestSentEvalFolderFaults(t *testing.T) {
	mrpc := func(rows int) string {
		return "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n" + strings.Repeat("1\t1\t2\tA \"man sits.\tA man sat.\n", rows)
	}
	root := storagetest.WriteFiles(t, t.TempDir(), map[string]string{
		"downstream/MRPC/msr_paraphrase_train.txt": mrpc(4076), "downstream/MRPC/msr_paraphrase_test.txt": mrpc(1725),
	})
	read := func(root string) (protocol.Protocol, error) {
		return evaluatetest.Read(t, SentEval, root, &protocol.Input{Split: "test", Probe: ProbePrototyping, Seeds: 1})
	}
	p, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	if set := p.(*classifications).sets[0]; set.task.Name != "mrpc" || set.parts["test"][0].texts[0].Text != `A "man sits.` {
		t.Errorf("%s: %+v", set.task.Name, set.parts["test"][0])
	}
	for want, files := range map[string]map[string]string{
		"with 1724 rows that have gold, SentEval's has 1725": {"downstream/MRPC/msr_paraphrase_test.txt": mrpc(1724)},
		"line 2: ": {"downstream/MRPC/msr_paraphrase_test.txt": strings.Replace(mrpc(1725), "\t1\t2", "\t1", 1)},
		"files are missing: CR/custrev.neg; want the folder that SentEval's": {"downstream/CR/custrev.pos": strings.Repeat("good\n", 2407)},
	} {
		root := storagetest.WriteFiles(t, t.TempDir(), map[string]string{
			"downstream/MRPC/msr_paraphrase_train.txt": mrpc(4076), "downstream/MRPC/msr_paraphrase_test.txt": mrpc(1725),
		})
		if _, err := read(storagetest.WriteFiles(t, root, files)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		} else if absent := errors.As(err, new(protocol.Absence)); absent != strings.HasPrefix(want, "with 1724") {
			t.Errorf("%v: leaves the task out: %v", err, absent)
		}
	}
	if task, _ := senteval.TaskByName("mrpc"); task.Rows() != 4076+1725 {
		t.Errorf("MRPC has %d rows", task.Rows())
	}
}
