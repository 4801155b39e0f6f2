// Package wordpiece tokenizes text as BERT does: the basic tokenizer cleans text and
// splits it into words, and WordPiece splits each word into pieces of a vocabulary.
//
// # Method
//
// Words are those of BertNormalizer and BertPreTokenizer of Hugging Face tokenizers,
// character for character; see Splitter. A word is split greedily from left to right
// into the longest pieces. Pieces after the first are written with "##" in the
// vocabulary. A word that cannot be split to its end, or has more than
// Options.MaxCharacters characters, is one unknown piece. The algorithm is LinMaxMatch
// (Song et al., Fast WordPiece Tokenization, EMNLP 2021, arXiv 2012.15524): a trie
// with failure links, linear in the word whatever the vocabulary holds.
//
// # Parity
//
// Ids are those of a Hugging Face tokenizer without added tokens: "[MASK]" in a text
// is a bracket, a word and a bracket, so no text can smuggle in a special id. The
// categories of characters (Unicode 8 for marks, punctuation and controls, Unicode 9
// for combining classes, 17 for lower case) were taken from tokenizers 0.23.3 and
// are in tables.go. They do not change with the Go release.
//
// # Text that is not UTF-8
//
// Each byte that does not belong to a character counts as U+FFFD, which cleaning drops
// without ending the word.
//
// # Determinism and concurrency
//
// Results depend on vocabulary, options and text only. Vocabulary, Splitter and
// Tokenizer are immutable: one of each serves any number of goroutines. The words that a Tokenizer
// keeps, as package wordcache describes, change no ids.
package wordpiece

//go:generate sh -c "$SENTWEAVE_PYTHON testdata/tables.py | gofmt > tables.go"
