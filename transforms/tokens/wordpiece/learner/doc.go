// Package learner learns WordPiece vocabularies from word counts, as the tools
// of TensorFlow Text do (tensorflow_text/tools/wordpiece_vocab).
//
// # Method
//
// A vocabulary is a function of a threshold: a piece stays if it is counted
// often enough. Counting starts with every piece that begins anywhere in a word;
// later passes count only from the boundaries at which the greedy tokenizer
// would split words with the pieces of the pass before. A binary search finds
// the threshold that gives the wanted size.
//
// # Modes
//
// The program and its guide differ. The program keeps a piece counted c ≥ T
// times and takes its count from all its prefixes, kept or not, so that a piece
// keeps only what ends a word there. Reference follows the program; since it
// comes down to counting the ends of words, it needs no subtraction at all:
// O(starts) a word instead of O(starts × ends). Documented follows the guide:
// c > T, and only kept pieces take from their prefixes, so that stems are learned.
//
// # Determinism
//
// The vocabulary depends on counts and configuration only, not on the number of
// cores: all sums are of integers.
package learner
