// Package unigram tokenizes text as SentencePiece's Unigram model does (Kudo 2018, arXiv 1804.10959), for
// XLM-R and what is made of it: text is normalized and cut at spaces, and each word becomes those pieces
// whose log probabilities have the greatest sum.
//
// # Parity
//
// Ids and offsets are those of Hugging Face tokenizers 0.23.3, but that special tokens within a text, as
// "<s>", are text: no text can smuggle in a special id. Scores are rounded as by that library, and among equal sums the same
// pieces stay. The precompiled normalizer looks up grapheme clusters of under 6 bytes as the library does.
//
// A file of SentencePiece itself gives the ids of sentencepiece 0.2.3, which normalizes in another way, with the ids of XLM-R's or
// CamemBERT's special tokens before its own.
//
// # Text that is not UTF-8
//
// Each byte that does not belong to a character counts as U+FFFD.
//
// # Determinism and concurrency
//
// Results depend on the file and the text only. A Tokenizer is immutable: one serves any number of goroutines.
package unigram
