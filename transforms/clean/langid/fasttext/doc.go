// Package fasttext reads supervised models in fastText's file format and predicts
// labels with them. It reads dense (.bin) and product-quantised (.ftz) models, pruned
// or not, with the losses hierarchical softmax, softmax, negative sampling and
// one-vs-all. Train trains models with softmax and n-grams of characters and words, Quantise makes them
// small, and Write writes .bin or .ftz.
//
// # Behavior
//
// Predictions follow the fasttext program 0.9.2 step by step: its tokenisation, its
// hash (FNV-1a over signed bytes), its character and word n-grams, its order of
// additions in float32 and its order of search in the label tree. So labels are the
// same, and probabilities agree up to the last digits, in which the exp and log of C
// libraries differ.
//
// # Determinism
//
// The same model and text give the same result on any number of goroutines. A Model is
// read-only after Open; each goroutine needs its own Classifier.
//
// Sources: Joulin et al., "Bag of Tricks for Efficient Text Classification" (arXiv
// 1607.01759) and "FastText.zip" (arXiv 1612.03651). The file format is documented
// only by the program's source, facebookresearch/fastText at 1142dc4, files args.cc,
// dictionary.cc, quantmatrix.cc and loss.cc.
package fasttext
