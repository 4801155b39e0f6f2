//go:build unix

package model

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sentweave/stages/model/safetensors"
)

// A named pipe in the place of a file is an error at once: to open it would wait for a writer.
func TestPipeInPlaceOfAFile(t *testing.T) {
	for _, name := range []string{"config.json", "tokenizer_config.json", "tokenizer.json", "modules.json", "sentence_bert_config.json",
		"1_Pooling/config.json", "vocab.txt", WeightsName} {
		folder := sentence().stored(t)
		path := filepath.Join(folder, name)
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o666); err != nil {
			t.Skipf("skipped: %v", err)
		}
		f, err := Open(folder)
		if err == nil {
			_, err = f.Vocabulary()
		}
		if err == nil {
			_, err = safetensors.Open(filepath.Join(folder, WeightsName))
		}
		if err == nil || !strings.Contains(err.Error(), path+": not a regular file, ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
