// Package sentences splits a block of text into sentences, in any language.
//
// # Behavior
//
// The rules follow Unicode Standard Annex #29, and add to it where it does not decide:
//
//   - Sentences end at '.', '!', '?', '…' and at every character with the property
//     Sentence_Terminal (。 । ؟ ۔ ። ։ ။ ។ and more), together with the closing quotes,
//     brackets and footnote marks that follow. The Burmese comma ၊ has the property
//     but ends no sentence.
//   - After '.' no sentence ends before a lower-case letter, after an abbreviation or
//     an initial of the language, after the number of a list, or after a short number
//     in languages that write ordinals with a full stop ("3. Oktober", "XIV. Ludwig").
//     An abbreviation that can be at an end ("Inc.", "U.S.") ends a sentence if one
//     of the language's usual first words follows.
//   - A sentence that begins with a lower-case letter ends before a usual first word in
//     small letters, any sentence before "i" and before the address of a page.
//   - '!' and '?' end a sentence before a lower-case letter in English alone, where some write so, and
//     where the sentence itself begins with one; '!' behind a name does not even there ("at Yahoo! in"). Marks
//     behind a comma, a colon or an opening bracket end nothing: "(?)", "[...]".
//   - In English a mark behind a title or a name that begins a sentence ends nothing before a verb that
//     says something of it ("Yahoo! is a company.", but "Wow! is that you?").
//   - A citation in brackets behind a sentence belongs to it ("Is it true? (Phil. 4:8) No."), and
//     a chapter and a verse to the short name before them.
//   - Full stops with spaces between are an ellipsis (". . ."), which ends nothing before
//     a dash or the pronoun "I".
//   - ';' ends a sentence before a usual first word with a capital.
//   - A word and a number that begin a block or a sentence ("Table 11.3. Hardware")
//     are the label of the caption or heading that follows, and stay with it.
//   - A sentence that begins with "1.", "1)", "1.)", "(1)" or a small letter in that place begins
//     a list. The next number that is written alike begins the next sentence.
//   - Without white space '.', '!' and '?' end nothing (sources.list, 3.5, ?q=1),
//     except between letters of scripts that have no spaces, and between a word in small
//     letters and a usual first word with a capital; in Thai and Lao '.' ends nothing there either.
//   - A single line break is white space, since texts are wrapped. An empty line, or a
//     bullet or list number at a line's start, ends a sentence. A bullet between
//     spaces (•) begins one.
//   - Thai and Lao have no full stop. A space ends a sentence there if at least 30
//     characters come before it and at least 10 after it up to the next one, unless a
//     word that joins clauses follows or a repetition mark comes before. A space
//     after a polite final word (ครับ, ค่ะ) ends one, too.
//   - Armenian ':' and Greek ';' end a sentence before a capital, Tibetan shad and
//     doubled Ethiopic word space anywhere.
//   - Chinese titles (《…》) keep their marks.
//
// Nothing is changed or lost: sentences are substrings in the order of the text, with
// only white space between them. No sentence begins or ends with white space.
//
// # Why not a library's segmenter
//
// github.com/clipperhouse/uax29/v2 takes quadratic time on a full stop with a long run
// of spaces or brackets after it (40 kB: 1.8 s), so one bad page can make a job hang.
// Where it breaks, the rules above would still have to look at both sides again. The
// tests compare with it.
//
// # Determinism and cost
//
// The result depends on text and language only. Time is linear in the text: every rule
// looks a bounded distance back and ahead.
package sentences
