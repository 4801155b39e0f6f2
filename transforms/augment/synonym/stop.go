package synonym

import "strings"

// set makes a set of the words between white space.
func set(lists ...string) map[string]bool {
	m := map[string]bool{}
	for _, list := range lists {
		for word := range strings.FieldsSeq(list) {
			m[word] = true
		}
	}
	return m
}

// functionWords are never replaced, and never replace: what they mean is grammar, or
// a number, a day, a polite formula. WordNet has many of them as nouns (a, in, it,
// as: ampere, inch, information technology, arsenic).
const functionWords = `
a an the this that these those such same other another each every either neither both all any some no none half several few many much more most less least enough
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its itself they them their theirs themselves
one ones oneself someone somebody something anyone anybody anything everyone everybody everything nobody nothing noone who whom whose which what whoever whichever whatever
be am is are was were been being have has had having do does did done doing
will would shall should can could may might must ought need needs dare let lets cannot get gets got gotten getting
and or but nor so yet if unless because since while whereas although though than whether as until till once when whenever where wherever why how however
of in on at by to from for with without within into onto out up down off over under above below about across after against along among amid around before behind beneath beside besides between beyond despite during except inside like unlike minus near next opposite outside past per plus regarding round through throughout toward towards underneath upon versus via worth
not never ever also too only just even still already yet again always often sometimes there here then now thus hence therefore else instead rather quite very almost nearly perhaps maybe well far away back together apart aside forward forwards backward backwards ago ahead soon
first second third last two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions billion billions dozen dozens zero
monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december
yes please thanks thank sorry hello goodbye mr mrs ms dr sir madam
good better best bad worse worst little own people person persons thing things way ways time times lot lots kind kinds sort sorts bit
go goes went gone going come comes came coming make makes made making take takes took taken taking put puts putting give gives gave given giving use uses used using say says said saying
see sees saw seen seeing know knows knew known knowing think thinks thought thinking want wants wanted wanting seem seems seemed become becomes became keep keeps kept set sets setting`

// particles turn the verb before them into another one.
const particles = `up down out off over away back apart aside along around round through together forward ahead about`

// determiners stand before what is not a finite verb.
const determiners = `a an the this these those my your his our their its every each some any no another several few many`

// auxiliaries stand before participles and gerunds.
const auxiliaries = `be am is are was were been being have has had having isn't aren't wasn't weren't haven't hasn't hadn't`

// subjects stand before a finite verb; modals before its base form.
const subjects = `i we they he she who which`
const modals = `will would shall should can could may might must cannot don't doesn't didn't won't can't couldn't wouldn't shouldn't let's`

// massNouns have no plural and no article, which WordNet does not tell: they replace
// nothing, since it is not known whether what they replace is counted.
const massNouns = `
accommodation advice aggression aid ammunition anger applause armour armor assistance baggage behaviour behavior bread business calm capital cash chaos cheese china clothing coal coffee commerce concrete
confidence conduct copper corn correspondence cotton courage crockery currency cutlery damage data dirt dust dough earnings economics education electricity employment energy entertainment enthusiasm equipment
evidence finance firewood flour fiction food freedom fruit fuel fun funding fur furniture garbage gas gear gold gossip grass greed guidance hair hardware happiness harm hatred havoc health heat help
homework honesty honey housework housing humour humor ice importance income independence information infrastructure insurance intelligence jealousy jewellery jewelry junk knowledge labour labor land laughter
lava leisure lightning litter livestock logic loot loyalty luck luggage machinery magic mail maths mathematics maintenance meat merchandise milk mist moisture money mud music news nutrition obedience oil oxygen
paint paper pasta patience permission petrol physics poetry police politics pollution poverty pressure pride produce progress proof property publicity punctuation rain relaxation research resistance rice
rubbish safety salt sand satisfaction scenery seafood sewage shame shopping silence silk silver sleep smoke snow software soil spaghetti speech staff steam steel stuff sugar sunshine tea thunder timber traffic
training transport transportation travel trash treasure trouble underwear vinegar violence vocabulary warmth waste water wealth weather welfare wheat wildlife wine wisdom wood wool work wreckage writing`

// unfit words replace nothing: old, of a dialect, of slang or obscene, or so wide that
// they fit few places, by the reading of replacements.
const unfit = `
necessitate essay peculiarly forthwith instance yr hr min mins secs hrs pertain regain percentage tis twas aught nought naught thence whence hither thither ere anon betwixt bide bespeak thou thee thy ye wherefore whilst amongst mayhap belike verily forsooth yea nay sooth
shit crap piss ass arse bitch bastard damn damned bloody bugger screw sod tit tits
fuck shag bonk bang hump jazz roll bed cock cocks dick dicks prick pecker peter putz schlong tool cunt twat pussy snatch puss slit muff boob boobs knocker bum buns butt buttocks fanny hooker whore harlot slut
tart trollop strumpet fag faggot fairy poof queer dyke nigger negro darky coon spade kike yid hymie chink gook jap dago wop spic wetback kraut hun honky whitey redskin injun squaw gypsy retard moron imbecile
idiot cretin cripple spastic midget freak tramp bum jerk scum turd poop dung piddle pee wee urinate fart screwing fucking shagging wank wanker motherfucker asshole arsehole bullshit horseshit
ain't gonna wanna lollygag gizmo doodad thingummy cat guy bloke chap dude chick bird wench broad doll skirt`
