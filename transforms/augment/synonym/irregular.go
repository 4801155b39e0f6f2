package synonym

import "strings"

// irregularVerbs: base, past, past participle. Forms after a slash are read, and not
// made.
const irregularVerbs = `
become became become|speed sped sped|spit spat spat|shave shaved shaved/shaven|plead pleaded pleaded/pled|bless blessed blessed/blest|arise arose arisen|awake awoke awoken|bear bore borne|beat beat beaten|befall befell befallen|begin began begun|behold beheld beheld|bend bent bent|beset beset beset|bet bet bet/betted|bid bid bid|bind bound bound
bite bit bitten|bleed bled bled|blow blew blown|break broke broken|breed bred bred|bring brought brought|broadcast broadcast broadcast|build built built|burst burst burst|buy bought bought|cast cast cast
catch caught caught|choose chose chosen|cling clung clung|come came come|cost cost cost|creep crept crept|cut cut cut|deal dealt dealt|dig dug dug|draw drew drawn|drink drank drunk|drive drove driven
eat ate eaten|fall fell fallen|feed fed fed|feel felt felt|fight fought fought|find found found|flee fled fled|fling flung flung|fly flew flown|forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven
forsake forsook forsaken|freeze froze frozen|get got got/gotten|give gave given|go went gone|grind ground ground|grow grew grown|hang hung hung/hanged|have had had|hear heard heard|hide hid hidden|hit hit hit|hold held held|hurt hurt hurt
keep kept kept|kneel knelt knelt|know knew known|lay laid laid|lead led led|leave left left|lend lent lent|let let let|lie lay lain|light lit lit/lighted|lose lost lost|make made made|mean meant meant|meet met met
mow mowed mown|pay paid paid|prove proved proven/proved|put put put|quit quit quit/quitted|read read read|rend rent rent|rid rid rid/ridded|ride rode ridden|ring rang rung|rise rose risen|run ran run|saw sawed sawn/sawed|say said said|see saw seen
seek sought sought|sell sold sold|send sent sent|set set set|sew sewed sewn|shake shook shaken|shed shed shed|shine shone shone/shined|shoot shot shot|show showed shown|shrink shrank shrunk|shut shut shut|sing sang sung|sink sank sunk
sit sat sat|slay slew slain|sleep slept slept|slide slid slid|sling slung slung|slit slit slit|sow sowed sown|speak spoke spoken|spend spent spent|spin spun spun|split split split|spread spread spread|spring sprang sprung
stand stood stood|steal stole stolen|stick stuck stuck|sting stung stung|stink stank stunk|stride strode stridden|strike struck struck|string strung strung|strive strove striven|swear swore sworn|sweep swept swept
swell swelled swollen|swim swam swum|swing swung swung|take took taken|teach taught taught|tear tore torn|tell told told|think thought thought|throw threw thrown|thrust thrust thrust|tread trod trodden|undergo underwent undergone
wake woke woken|wear wore worn|weave wove woven|weep wept wept|win won won|wind wound wound|withdraw withdrew withdrawn|wring wrung wrung|write wrote written|do did done
burn burned burned/burnt|dream dreamed dreamed/dreamt|dwell dwelt dwelt/dwelled|lean leaned leaned/leant|leap leaped leaped/leapt|learn learned learned/learnt|smell smelled smelled/smelt|spell spelled spelled/spelt
spill spilled spilled/spilt|spoil spoiled spoiled/spoilt|forgo forwent forgone|bereave bereaved bereft|cleave cleaved cleft|gainsay gainsaid gainsaid|knit knit knit/knitted|wed wed wed/wedded|shear sheared shorn`

// verbPrefixes make further irregular verbs; regularAfterPrefix are those that only
// look so.
var verbPrefixes = []string{"out", "over", "under", "re", "un", "mis", "fore", "with", "up", "inter", "off", "in", "down", "mid"}

var regularAfterPrefix = set(`relay relent`)

// irregularNouns: singular, plural. Nouns whose plural is the singular have "-":
// their number cannot be told.
const irregularNouns = `
man men|woman women|child children|foot feet|tooth teeth|goose geese|mouse mice|louse lice|ox oxen|die dice|penny pence/pennies|person people
knife knives|life lives|wife wives|leaf leaves|half halves|self selves|shelf shelves|wolf wolves|thief thieves|loaf loaves|calf calves|elf elves|sheaf sheaves|hoof hooves/hoofs|scarf scarves/scarfs
criterion criteria|phenomenon phenomena|bacterium bacteria|datum data|medium media|curriculum curricula|memorandum memoranda|stratum strata|addendum addenda|erratum errata|spectrum spectra
stimulus stimuli|nucleus nuclei|fungus fungi|alumnus alumni|radius radii|cactus cacti|locus loci|syllabus syllabuses/syllabi|focus focuses/foci|index indexes/indices|appendix appendices/appendixes|matrix matrices|vertex vertices
vortex vortices|axis axes|larva larvae|alga algae|vertebra vertebrae|formula formulas/formulae|antenna antennas/antennae|maximum maximums/maxima|minimum minimums/minima|equilibrium equilibria/equilibriums|cortex cortices|serum serums/sera|zero zeros/zeroes|genius geniuses/genii|corpus corpora|genus genera|opus opera|quiz quizzes|bus buses|gas gases
stomach stomachs|monarch monarchs|patriarch patriarchs|epoch epochs|loch lochs|eunuch eunuchs
sheep -|deer -|fish -|series -|species -|aircraft -|spacecraft -|means -|offspring -|moose -|salmon -|trout -|swine -|headquarters -|crossroads -|works -|barracks -|gallows -`

// nouns in -man that are no men.
var regularMan = set(`human german roman shaman talisman ottoman norman caiman cayman`)

// nouns in a consonant and o that take -es.
var nounsInOes = set(`potato tomato hero echo veto torpedo embargo buffalo domino mango mosquito tornado volcano cargo`)

// verbs of several syllables with the stress on the last, whose consonant doubles.
var doublingVerbs = set(`
abet abhor abut acquit admit allot annul appal begin befit befog bestir beget combat commit compel concur confer control debar debug defer demur deter disbar dispel embed emit enrol entrap equip excel expel extol
fulfil forbid forget format handicap humbug impel imbed incur infer inter intermit kidnap nonplus occur omit outbid outfit patrol permit prefer program propel rebel rebut recap recur refer refit regret remit
repel reset submit transfer transmit transship unplug unwrap unzip unpin upset overlap overstep outwit worship zigzag backlog hotwire diagram`)

// irregular holds the tables above, as they are looked up.
type irregular struct {
	past, participle map[string][]string // the first form is made, all are read
	plural           map[string][]string
}

func newIrregular() irregular {
	t := irregular{past: map[string][]string{}, participle: map[string][]string{}, plural: map[string][]string{}}
	for _, line := range entries(irregularVerbs) {
		f := strings.Fields(line)
		t.past[f[0]] = []string{f[1]}
		t.participle[f[0]] = strings.Split(f[2], "/")
		for _, variant := range t.participle[f[0]][1:] {
			if f[1] == t.participle[f[0]][0] { // learned, learnt: both are both
				t.past[f[0]] = append(t.past[f[0]], variant)
			}
		}
	}
	for _, line := range entries(irregularNouns) {
		f := strings.Fields(line)
		t.plural[f[0]] = strings.Split(f[1], "/")
	}
	return t
}

// entries splits a table at bars and line ends.
func entries(table string) []string {
	return strings.FieldsFunc(table, func(r rune) bool { return r == '|' || r == '\n' })
}

// verb returns the past forms and participles of an irregular verb, also of one with a
// prefix.
func (t irregular) verb(base string) (past, participle []string, ok bool) {
	if past, ok = t.past[base]; ok {
		return past, t.participle[base], true
	}
	if regularAfterPrefix[base] {
		return nil, nil, false
	}
	for _, prefix := range verbPrefixes {
		stem, prefixed := strings.CutPrefix(base, prefix)
		if !prefixed || t.past[stem] == nil {
			continue
		}
		for _, form := range t.past[stem] {
			past = append(past, prefix+form)
		}
		for _, form := range t.participle[stem] {
			participle = append(participle, prefix+form)
		}
		return past, participle, true
	}
	return nil, nil, false
}
