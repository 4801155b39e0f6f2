package language

import "strings"

// families are the languages of our table by family, as handbooks part them, and those of
// Indo-European and Afro-Asiatic by branch. Isolates, creoles and languages of which the table has no
// relative have none, but for Albanian, Armenian, Greek, Japanese and Korean.
var families = map[string]string{
	"Abkhaz-Adyghe":     "abk ady kbd",
	"Albanian":          "sqi",
	"Armenian":          "hye",
	"Austroasiatic":     "kha khm mnw sat vie",
	"Austronesian":      "ace ban bcl bjn bug ceb cha dtp fij fil gil haw hil ilo ind jav mlg max min mri msa nau pam plt smo sun tah tgl ton war zsm",
	"Baltic":            "lav lit ltg",
	"Berber":            "ber kab tzm zgh",
	"Celtic":            "bre cor cym gla gle glv",
	"Constructed":       "epo ido ile ina jbo lfn nov tzl vol",
	"Cushitic":          "orm som",
	"Dravidian":         "kan mal tam tel",
	"Eskaleut":          "iku kal",
	"Germanic":          "afr ang bar dan deu eng fao frr fry gsw isl lim ltz nds nld nno nob nor pfl sco swe swg vls yid ydd zea",
	"Greek":             "ell",
	"Hmong-Mien":        "hmn",
	"Indo-Aryan":        "asm awa ben bho bpy div doi dty gom guj hif hin kas kok mai mar nep npi ori ory pan pnb rom san sin snd urd",
	"Iranian":           "ckb diq fas kmr kur lrc mzn oss pbt pes prs pus tgk",
	"Japonic":           "jpn",
	"Kartvelian":        "kat xmf",
	"Koreanic":          "kor",
	"Mande":             "bam dyu",
	"Mongolic":          "bua bxr khk mon xal",
	"Nakh-Daghestanian": "ava che dar inh lbe lez",
	"Niger-Congo":       "aka bem ewe fon ful fuv ibo kam kin kon lin lug nbl nso nya run sna sot ssw swa swh tsn tso twi umb ven wol xho yor zul",
	"Romance":           "arg ast cat cos egl fra frp fur glg ita lad lat lij lmo mwl nap oci pms por roh ron scn spa srd vec wln",
	"Semitic":           "amh apc ara arb arq ars ary arz heb mlt tir",
	"Sino-Tibetan":      "bod brx cmn dzo lzh mni mya nan new wuu yue zho gan hak",
	"Slavic":            "bel bos bul ces chu cnr csb dsb hbs hrv hsb mkd orv pol rue rus slk slv srp szl ukr",
	"Tai-Kadai":         "lao tha zha",
	"Turkic":            "alt azb aze azj bak chv crh gag kaa kaz kir krc kum nog sah tat tuk tur tyv uig uzb uzn",
	"Uralic":            "chm ekk est fin hun koi kom mdf mhr mrj myv sme udm vep",
}

var familyOf = func() map[string]string {
	byCode := map[string]string{}
	for family, codes := range families {
		for code := range strings.FieldsSeq(codes) {
			byCode[code] = family
		}
	}
	return byCode
}()

// Family returns the family of a language, or its branch of Indo-European, such as "Uralic" or
// "Germanic"; "" where the program knows none. Members of a macrolanguage have that of the whole.
func Family(code string) string {
	if family, ok := familyOf[Base(code)]; ok {
		return family
	}
	return familyOf[macrolanguage(code)]
}
