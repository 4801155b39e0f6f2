// Package quality holds filters for sentences and documents as plain functions:
// text in, the first reason to drop it and the measure that decided out. A
// reason of "" means kept.
//
// # Languages
//
// No rule is English by default. Lengths know scripts in which a character is a
// word or a syllable, shares of white space apply to scripts that separate
// words, and repeated n-grams are counted in characters where words are not
// separated. English rules (those of C4) are an option. The thresholds of Gopher
// for words and stop words are left out: on parallel pages in 26 languages they
// and C4's kept 19 %.
//
// # Determinism
//
// A verdict depends on the text, its language and the configuration only.
// Character classes follow the Unicode version of the Go release.
package quality

// Version of the filters: raised when the same input gets another verdict.
const Version = 1
