package language

import "slices"

// macrolanguages maps members to their macrolanguage, after the table of ISO
// 639-3: those among them that have much text or that models label.
var macrolanguages = map[string]string{
	"fat": "aka", "twi": "aka",
	"aao": "ara", "abh": "ara", "acm": "ara", "acq": "ara", "acw": "ara", "acx": "ara", "adf": "ara", "aeb": "ara",
	"afb": "ara", "ajp": "ara", "apc": "ara", "apd": "ara", "arb": "ara", "arq": "ara", "ars": "ara", "ary": "ara", "arz": "ara",
	"auz": "ara", "avl": "ara", "ayh": "ara", "ayl": "ara", "ayn": "ara", "ayp": "ara", "pga": "ara", "shu": "ara", "ssh": "ara",
	"ayc": "aym", "ayr": "aym",
	"azb": "aze", "azj": "aze",
	"bcl": "bik", "bln": "bik", "bto": "bik", "cts": "bik", "fbl": "bik", "lbl": "bik", "rbl": "bik", "ubl": "bik",
	"bxm": "bua", "bxr": "bua", "bxu": "bua",
	"mhr": "chm", "mrj": "chm",
	"dgo": "doi", "xnr": "doi",
	"ekk": "est", "vro": "est",
	"pes": "fas", "prs": "fas",
	"ffm": "ful", "fub": "ful", "fuc": "ful", "fue": "ful", "fuf": "ful", "fuh": "ful", "fui": "ful", "fuq": "ful", "fuv": "ful",
	"gug": "grn", "gui": "grn", "gun": "grn", "gnw": "grn", "nhd": "grn",
	"bos": "hbs", "cnr": "hbs", "hrv": "hbs", "srp": "hbs",
	"hmd": "hmn", "hnj": "hmn", "mww": "hmn",
	"ike": "iku", "ikt": "iku",
	"gom": "kok", "knn": "kok",
	"koi": "kom", "kpv": "kom",
	"kng": "kon", "kwy": "kon", "ldi": "kon",
	"ckb": "kur", "kmr": "kur", "sdh": "kur",
	"hnd": "lah", "hno": "lah", "jat": "lah", "phr": "lah", "pnb": "lah", "skr": "lah", "xhe": "lah",
	"ltg": "lav", "lvs": "lav",
	"bhr": "mlg", "bmm": "mlg", "bzc": "mlg", "msh": "mlg", "plt": "mlg", "skg": "mlg", "tdx": "mlg", "tkg": "mlg", "txy": "mlg",
	"xmv": "mlg", "xmw": "mlg",
	"khk": "mon", "mvf": "mon",
	"bjn": "msa", "ind": "msa", "max": "msa", "meo": "msa", "mfa": "msa", "min": "msa", "msi": "msa", "mui": "msa", "pse": "msa",
	"tmw": "msa", "vkk": "msa", "xmm": "msa", "zlm": "msa", "zsm": "msa",
	"dty": "nep", "npi": "nep",
	"nno": "nor", "nob": "nor",
	"ciw": "oji", "ojb": "oji", "ojc": "oji", "ojg": "oji", "ojs": "oji", "ojw": "oji", "otw": "oji",
	"ory": "ori", "spv": "ori",
	"gax": "orm", "gaz": "orm", "hae": "orm", "orc": "orm",
	"pbt": "pus", "pbu": "pus", "pst": "pus",
	"quy": "que", "quz": "que", "qub": "que", "quh": "que", "qul": "que", "qvi": "que",
	"rmc": "rom", "rmf": "rom", "rml": "rom", "rmn": "rom", "rmo": "rom", "rmw": "rom", "rmy": "rom",
	"aae": "sqi", "aat": "sqi", "aln": "sqi", "als": "sqi",
	"sdc": "srd", "sdn": "srd", "src": "srd", "sro": "srd",
	"swc": "swa", "swh": "swa",
	"aii": "syr", "cld": "syr",
	"taq": "tmh", "thv": "tmh", "thz": "tmh", "ttq": "tmh",
	"uzn": "uzb", "uzs": "uzb",
	"ydd": "yid", "yih": "yid",
	"cdo": "zho", "cjy": "zho", "cmn": "zho", "cpx": "zho", "czh": "zho", "czo": "zho", "gan": "zho", "hak": "zho",
	"hsn": "zho", "lzh": "zho", "mnp": "zho", "nan": "zho", "wuu": "zho", "yue": "zho",
	"diq": "zza", "kiu": "zza",
}

// macrolanguage returns the macrolanguage that a code's language belongs to
// ("nor" for "nob", "zho" for "cmn_Hant"), or "" where it belongs to none.
// Macrolanguages themselves belong to none.
func macrolanguage(code string) string { return macrolanguages[Base(code)] }

// Siblings reports whether two languages belong to one macrolanguage, as Bosnian and Croatian do to Serbo-Croatian.
func Siblings(a, b string) bool {
	return macrolanguage(a) != "" && macrolanguage(a) == macrolanguage(b)
}

// Matches reports whether a and b can name the same language: they are equal, or
// one is the macrolanguage of the other ("nor" and "nob", "msa" and "ind"); and
// their scripts are equal, or one of them tells no script ("zho" and
// "cmn_Hant"). It is symmetric but not transitive. Undetermined matches nothing,
// itself included: two unknown languages need not be the same.
func Matches(a, b string) bool {
	baseA, baseB := Base(a), Base(b)
	if baseA == Undetermined || baseB == Undetermined {
		return false
	}
	if baseA != baseB && macrolanguages[baseA] != baseB && macrolanguages[baseB] != baseA {
		return false
	}
	scriptA, scriptB := script(a), script(b)
	return scriptA == scriptB || scriptA == "" || scriptB == ""
}

// MatchesAny reports whether a code matches one of several, which is false where there are none.
func MatchesAny(code string, codes []string) bool {
	return slices.ContainsFunc(codes, func(other string) bool { return Matches(code, other) })
}
