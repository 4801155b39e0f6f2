package language

// MostTogether is the number of languages that the versions of a page, the texts of a
// record, or the columns of a table may be in. Every two of them may make a pair, and
// what many pairs take is bounded by this alone. No publication is known whose parallel
// parts have more, but for the Bible.
const MostTogether = 512

// ReasonTooMany is why a page or record with more languages is dropped.
const ReasonTooMany = "too_many_languages"
