package dataset

import (
	"errors"
	"io/fs"
	"testing"

	"sentweave/schemas/storage"
)

func TestRecord(t *testing.T) {
	type config struct {
		Size int `json:"size"`
	}
	type made struct {
		Record[config]
		Pieces int `json:"pieces"`
	}
	folder := storage.NewLocal(t.TempDir())
	var there made
	if err := ReadRecord(t.Context(), folder, "made.json", "make", &there); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a record: %v", err)
	}
	asked := made{Record[config]{"make", 1, config{7}}, 3}
	if err := errors.Join(Vacant(t.Context(), folder, "toy"), WriteRecord(t.Context(), folder, "made.json", " ", asked)); err != nil {
		t.Fatal(err)
	}
	data, err := storage.ReadFile(t.Context(), folder, "made.json", 1<<10)
	if want := "{\n \"stage\": \"make\",\n \"version\": 1,\n \"config\": {\n  \"size\": 7\n },\n \"pieces\": 3\n}\n"; err != nil ||
		string(data) != want {
		t.Errorf("%v: got %s, want %s", err, data, want)
	}
	if err := ReadRecord(t.Context(), folder, "made.json", "make", &there); err != nil || there != asked {
		t.Errorf("%v: got %+v", err, there)
	}
	if err := ReadRecord(t.Context(), folder, "made.json", "mend", &there); !errors.Is(err, ErrCorrupt) {
		t.Errorf("the record of another stage: %v", err)
	}
	if err := Vacant(t.Context(), folder, "toy"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder with a file of another: %v", err)
	}
	if err := Vacant(t.Context(), folder, "toy", "made.json"); err != nil {
		t.Errorf("a folder with a file of ours: %v", err)
	}
	for want, other := range map[string]Record[config]{
		"":                                  {"make", 1, config{7}},
		"version is 1 there and 2 here":     {"make", 2, config{7}},
		"config size is 7 there and 8 here": {"make", 1, config{8}},
		"version is 1 there and 3 here; config size is 7 there and 9 here": {"make", 3, config{9}},
	} {
		if got := other.Difference(&there.Record, nil, nil); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	one, two := []Input{{Role: "texts", Files: 1}}, []Input{{Role: "texts", Files: 2}}
	if got, want := there.Difference(&there.Record, one, two), one[0].Difference(two[0]); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := there.Difference(&there.Record, one, nil), "it was made of 0 datasets there and 1 here"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
