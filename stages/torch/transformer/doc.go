// Package transformer has the layers of encoders on libtorch: BERT, the layers behind its pooling, a lens and the head of a
// masked language model, over named weights that are read from safetensors.
//
// Sequences have no padding: the tokens of a batch are in one list, Packed, and only attention and pooling know where a
// sequence ends.
package transformer
