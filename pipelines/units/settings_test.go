package units

import (
	"testing"

	"sentweave/schemas/dataset"
)

func TestOneOf(t *testing.T) {
	if err := OneOf("level", "document", "document", "sentence"); err != nil {
		t.Error(err)
	}
	for _, value := range []string{"", "Document", "page"} {
		err := OneOf("level", value, "document", "sentence")
		if want := `level "` + value + `" is not one of document, sentence`; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestSettings(t *testing.T) {
	for shardBytes, ok := range map[dataset.Bytes]bool{-1: false, 0: true, 1: true, 64 << 20: true} {
		if err := (Settings{ShardBytes: shardBytes}).Validate(); (err == nil) != ok {
			t.Errorf("shards of %s: %v", shardBytes, err)
		}
	}
}
