// Package language holds the codes that name languages in every row: ISO 639-3 with an
// optional ISO 15924 script, as in "deu", "zho_Hant" and "srp_Latn". It converts codes
// of other systems to these: BCP 47 tags, POSIX locales, ISO 639-1, ISO 639-2, folder
// names and the labels of fastText models.
//
// # Behavior
//
// A code is canonical: a language in one script has one code. The script is left out
// where the language has one usual script ("eng_Latn" is "eng"), and kept where it has
// several ("srp_Cyrl" is not "srp", which does not tell the script). A region is
// dropped, except where it tells the script: "zh-TW" is "zho_Hant", "pa-PK" is
// "pan_Arab".
//
// Macrolanguages stay as the source names them: "zh" is "zho" and not "cmn", "ar" is
// "ara" and not "arb", "no" is "nor" and not "nob" (the label "no" of lid.176 is
// trained on a Wikipedia in Bokmål, but the code does not say so), "sh" is "hbs".
// Matches compares codes and counts "nob" as part of "nor". Two members of a
// macrolanguage are different: "nob" is not "nno".
//
// Collective codes of ISO 639-2 such as "ber" and "nah" are accepted, because test
// sets and models are labelled with them. Retired codes become their successors: "kzj"
// is "dtp", "iw" is "heb".
package language
