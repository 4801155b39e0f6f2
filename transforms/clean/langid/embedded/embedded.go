// Package embedded holds the language identifier that comes with the program.
package embedded

import (
	"bytes"
	_ "embed" // of the model
	"fmt"
	"sync"

	"sentweave/transforms/clean/langid/fasttext"
)

// File is the file of the model, which `make langid` trains on translated messages of free software, names, lists of words and the
// Universal Declaration of Human Rights: weights alone, no texts. It has a label for noise, zxx. Nobody may change the bytes.
//
//go:embed messages.ftz
var File []byte

// Model returns the model.
var Model = sync.OnceValues(func() (*fasttext.Model, error) {
	m, err := fasttext.Read(bytes.NewReader(File), int64(len(File)))
	if err != nil {
		return nil, fmt.Errorf("read the language identifier of the program: %w", err)
	}
	return m, nil
})
