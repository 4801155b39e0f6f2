package verb

import "strings"

// Rate is what one core does of a pipeline in a second, in bytes of input files or in rows, and
// the shares of the input's bytes that are handed from unit to unit, and written. Of each row
// PerRow bytes more are handed on.
//
// Those of the pipelines were measured in CPU time on 20, 60 and 600 MB: of pages of the Debian
// handbook in 26 languages, of what followed from them, and of lines of STS-B for bitext. Those of
// archives are older. Other texts and machines have others. Pairs are counted by rows: where a text
// is in many of them, Parquet keeps it in few bytes. What wordcounts and pairs of parallel pages
// write depends on the number of words and of languages.
type Rate struct {
	Bytes, Rows int64
	// Operations are those of units.Job in a second, of a pipeline that is counted by them.
	Operations                 float64
	Exchanged, PerRow, Written float64
}

// ByOperations is a name among Rates.
const ByOperations = "by operations"

// Rates are those of a pipeline by what it reads, "" for what has none of its own. A name is the level,
// kind, preset of near or key of within in the configuration, the kind of archive and the format, of which any
// may be missing, and "by language" where languages are identified; "of pairs" is that of pairs where documents have
// others, and ByOperations that of jobs that are counted by operations where not all are.
type Rates map[string]Rate

// First returns the rate of the first of the names that has one.
func (r Rates) First(names ...string) (Rate, bool) {
	for _, name := range names {
		if rate, ok := r[strings.TrimSpace(name)]; ok {
			return rate, true
		}
	}
	return Rate{}, false
}
