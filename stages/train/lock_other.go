//go:build !unix

package train

// lock does nothing: this system has no locks that end with their process.
func (o *output) lock() (unlock func(), err error) { return func() {}, nil }
