package deepl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas/language"
	"sentweave/transforms/engines"
)

// documented are the languages of the API. It learns new ones, which Open reads.
//
// Source: the constants of the class Language in DeepL's Python client 1.32.0. Codes with
// a hyphen are of targets only.
const documented = `ACE AF AN AR AS AY AZ BA BE BG BHO BN BR BS CA CEB CKB CS CY DA DE EL EN EN-GB EN-US EO ES ES-419 ET EU FA FI FR GA GL GN GOM GU HA HE HI
HR HT HU HY ID IG IS IT JA JV KA KK KMR KO KY LA LB LMO LN LT LV MAI MG MI MK ML MN MR MS MT MY NB NE NL OC OM PA PAG PAM PL PRS PS PT PT-BR PT-PT QU
RO RU SA SCN SK SL SQ SR ST SU SV SW TA TE TG TH TK TL TN TR TS TT UK UR UZ VI WO XH YI YUE ZH ZH-HANS ZH-HANT ZU`

// preferred are the varieties of languages of which there are several.
var preferred = engines.Codes{"eng": "EN-US", "por": "PT-BR", "zho": "ZH-HANS"}

// describe returns an engine for estimates.
func describe(config Config) (*Engine, error) {
	e := &Engine{config: config}
	var sources, targets []listed
	for _, code := range strings.Fields(documented) {
		targets = append(targets, listed{Code: code, Formal: true}) // or not: the API refuses it
		if !strings.Contains(code, "-") {
			sources = append(sources, listed{Code: code})
		}
	}
	return e, e.learn(sources, targets)
}

// learn fills the tables of languages. A variety that is asked for must be listed.
func (e *Engine) learn(sources, targets []listed) error {
	e.sources, e.targets, e.formal = engines.Codes{}, engines.Codes{}, map[string]bool{}
	requested, err := e.config.codes()
	if err != nil {
		return err
	}
	find := func(code string) int {
		return slices.IndexFunc(targets, func(l listed) bool { return strings.EqualFold(l.Code, code) })
	}
	for ours, theirs := range requested {
		index := find(theirs)
		if index < 0 {
			return fmt.Errorf("deepl-codes: there is no target language %q for %s", theirs, ours)
		}
		e.targets[ours] = targets[index].Code
	}
	for ours, theirs := range preferred {
		if index := find(theirs); index >= 0 && e.targets[ours] == "" {
			e.targets[ours] = targets[index].Code
		}
	}
	byLength := func(a, b listed) int {
		return cmp.Or(cmp.Compare(len(a.Code), len(b.Code)), cmp.Compare(a.Code, b.Code))
	}
	for _, l := range slices.SortedFunc(slices.Values(targets), byLength) { // "ES" before "ES-419"
		e.targets.AddCodes(l.Code)
		e.formal[l.Code] = l.Formal
	}
	for _, l := range sources {
		e.sources.AddCodes(l.Code)
	}
	if chinese, ok := e.sources["zho"]; ok { // of any script
		e.sources["zho_Hans"], e.sources["zho_Hant"] = chinese, chinese
	}
	return nil
}

// pair returns DeepL's codes of a pair.
func (e *Engine) pair(p engines.Pair) (source, target string, err error) {
	if err := engines.CheckPair(p); err != nil {
		return "", "", err
	}
	source, reads := e.sources.Find(p.Source)
	target, writes := e.targets.Find(p.Target)
	formality := e.config.Formality == "less" || e.config.Formality == "more"
	switch {
	case !reads:
		err = fmt.Errorf("deepl does not translate from %s (%s): %w", p.Source, language.Name(p.Source), engines.ErrUnsupported)
	case !writes:
		err = fmt.Errorf("deepl does not translate into %s (%s): %w", p.Target, language.Name(p.Target), engines.ErrUnsupported)
	case sameLanguage(source, target):
		err = fmt.Errorf("deepl knows %s and %s as the same language: %w", p.Source, p.Target, engines.ErrUnsupported)
	case formality && !e.formal[target]:
		err = fmt.Errorf("deepl has no formality for %s; prefer_%s ignores that: %w", p.Target, e.config.Formality, engines.ErrUnsupported)
	}
	return source, target, err
}

// sameLanguage says whether codes of DeepL are of one language.
func sameLanguage(source, target string) bool {
	a, errA := language.Parse(source)
	b, errB := language.Parse(target)
	return errA == nil && errB == nil && language.Base(a) == language.Base(b)
}
