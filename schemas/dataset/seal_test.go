package dataset

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"sentweave/schemas/dataset/sealed"
)

// FuzzUnseal: a record record that is not byte for byte what seal made is never
// accepted; random edits and cuts of one are made from the fuzzed input.
func FuzzUnseal(f *testing.F) {
	receipt := Receipt{
		Plan: HashString(1), Unit: 3, Shard: &Shard{Name: ShardName(3), Rows: 5, Bytes: 77, XXH3: HashString(2)},
		ContentXXH3: HashString(3),
		Funnel:      NewFunnel(NewChain("pages", "read")), Counts: &Shard{Name: "<ä\u2028\\>\x00 \" "},
	}
	if err := receipt.Funnel.Drop("pages", "eng", "read", "short", 3); err != nil {
		f.Fatal(err)
	}
	record, err := sealed.Seal(&receipt)
	if err != nil {
		f.Fatal(err)
	}
	var back Receipt
	if err := sealed.Unseal(record, &back); err != nil {
		f.Fatal(err)
	}
	f.Add(uint16(0), uint16(0), []byte(" "))
	f.Add(uint16(10), uint16(1), []byte{})
	f.Add(uint16(len(record)), uint16(0), []byte("{}"))
	f.Add(uint16(30), uint16(500), []byte("\"unit\": 4"))
	f.Fuzz(func(t *testing.T, at, cut uint16, insert []byte) {
		from := min(int(at), len(record))
		to := min(from+int(cut), len(record))
		for _, data := range [][]byte{
			append(append(append([]byte{}, record[:from]...), insert...), record[to:]...), // an edit
			record[:from], // a cut
			insert,
		} {
			var r Receipt
			err := sealed.Unseal(data, &r)
			if bytes.Equal(data, record) {
				if err != nil {
					t.Fatalf("the sealed record is refused: %v", err)
				}
				continue
			}
			if err == nil {
				t.Fatalf("accepted:\n%s", data)
			}
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("%v does not match ErrCorrupt", err)
			}
		}
	})
}

// Texts, such as those of a configuration, may have more braces than objects would.
func TestUnsealTakesTextsOfBraces(t *testing.T) {
	for _, sample := range []string{strings.Repeat("{", 500), strings.Repeat("{\\\"", 160), strings.Repeat("\"{}", 160)} {
		receipt := Receipt{Shard: &Shard{Name: sample}, Counts: &Shard{Name: sample}}
		record, err := sealed.Seal(&receipt)
		if err != nil {
			t.Fatal(err)
		}
		var back Receipt
		if err := sealed.Unseal(record, &back); err != nil {
			t.Errorf("%.20q…: %v", sample, err)
		}
	}
	empty := []byte("[" + strings.Repeat("{},", 500) + "{}]")
	if err := sealed.Unseal(empty, &receipts{}); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "empty") {
		t.Errorf("a list of empty objects: %v", err)
	}
}

// receipts are not a record that anything seals, but JSON of a list is decoded into them.
type receipts []Receipt

func (receipts) CheckField() *string { return new(string) }

func TestUnsealRefusesEveryFlippedBitAndCut(t *testing.T) {
	p, _ := testPlan(t, 2)
	record, err := sealed.Seal(p)
	if err != nil {
		t.Fatal(err)
	}
	for i := range record {
		for bit := range 8 {
			data := bytes.Clone(record)
			data[i] ^= 1 << bit
			var q Plan
			if err := sealed.Unseal(data, &q); err == nil {
				t.Errorf("bit %d of byte %d flipped: accepted", bit, i)
			}
		}
		var q Plan
		if err := sealed.Unseal(record[:i], &q); !errors.Is(err, ErrCorrupt) {
			t.Errorf("cut at %d: %v", i, err)
		}
	}
}
