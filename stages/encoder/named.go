package encoder

import "io"

// Rename returns e under another name. It is an io.Closer if e is one.
func Rename(e Encoder, name string) Encoder {
	if c, ok := e.(io.Closer); ok {
		return struct {
			namedEncoder
			io.Closer
		}{namedEncoder{e, name}, c}
	}
	return namedEncoder{e, name}
}

type namedEncoder struct {
	Encoder
	name string
}

func (n namedEncoder) Name() string { return n.name }

// Close closes an encoder that is to be closed.
func Close(e Encoder) error {
	if c, ok := e.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
