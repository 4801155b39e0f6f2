// Package learner learns WordPiece vocabularies from word counts, as the tools of
// TensorFlow Text do (tensorflow_text/tools/wordpiece_vocab).
//
// # Method
//
// A vocabulary is a function of a threshold: a piece stays if its count is high
// enough. The first pass counts every piece that begins anywhere in a word. Later
// passes count only from the boundaries at which the greedy tokenizer would split
// words with the pieces of the pass before. A binary search finds the threshold that
// gives the requested size.
//
// # Modes
//
// The program and its guide differ. The program keeps a piece with a count c ≥ T and
// subtracts its count from all its prefixes, kept or not, so a piece keeps only the
// counts of words that end with it. Reference follows the program. Since this equals
// counting the ends of words, it needs no subtraction: O(starts) a word instead of
// O(starts × ends). Documented follows the guide: c > T, and only kept pieces are
// subtracted from their prefixes, so stems are learned.
//
// # Determinism
//
// The vocabulary depends on counts and configuration only, not on the number of cores:
// all sums are of integers.
package learner
