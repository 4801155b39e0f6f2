package encoder

import "io"

// Named returns e under another name. It is an io.Closer if e is one.
func Named(e Encoder, name string) Encoder {
	if c, ok := e.(io.Closer); ok {
		return struct {
			renamed
			io.Closer
		}{renamed{e, name}, c}
	}
	return renamed{e, name}
}

type renamed struct {
	Encoder
	name string
}

func (n renamed) Name() string { return n.name }

// Close closes an encoder that is to be closed.
func Close(e Encoder) error {
	if c, ok := e.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
