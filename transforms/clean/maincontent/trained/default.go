package trained

import (
	_ "embed" // the model
	"fmt"
	"sync"
)

// wcxb is the model that `make maincontent` trains on the development split of the Web Content
// Extraction Benchmark, (c) 2026 Murrough Foley, CC BY 4.0. Its record says so, too (About).
//
//go:embed wcxb.model
var wcxb []byte

// Default returns the model that comes with the program.
var Default = sync.OnceValues(func() (*Model, error) {
	m, err := Decode(wcxb)
	if err != nil {
		return nil, fmt.Errorf("read the model of the program: %w", err)
	}
	return m, nil
})
