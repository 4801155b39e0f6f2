"""Says of pairs in lines of JSON, [text, text, language, language], what OpusFilter and bicleaner-hardrules drop.

The first line that is written is the user time of OpusFilter's filters, in seconds a pair, in the order below.
"""
import json
import resource
import sys
import types

for name in ("fastspell", "kenlm"):  # models that no rule here needs
    sys.modules[name] = types.ModuleType(name)
sys.modules["fastspell"].FastSpell = None

import opusfilter.filters as opus
from hardrules.hardrules import Hardrules

SCRIPTS = {"en": "Latin", "de": "Latin", "et": "Latin", "ro": "Latin", "fr": "Latin", "es": "Latin",
           "ru": "Cyrillic", "ar": "Arabic", "zh": "Han"}

pairs = [json.loads(line) for line in sys.stdin]
filters = {
    "words": opus.LengthFilter(), "word-ratio": opus.LengthRatioFilter(), "length-ratio": opus.LengthRatioFilter(unit="char"),
    "average-word": opus.AverageWordLengthFilter(), "long-word": opus.LongWordFilter(), "html": opus.HtmlTagFilter(),
    "alphabet": opus.AlphabetRatioFilter(), "terminal-punctuation": opus.TerminalPunctuationFilter(),
    "numerals": opus.NonZeroNumeralsFilter(), "common-substring": opus.LongestCommonSubstringFilter(),
    "similarity": opus.SimilarityFilter(), "repetition": opus.RepetitionFilter(),
}
texts = [(a, b) for a, b, _, _ in pairs]
before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
dropped = {name: [not f.accept(score) for score in f.score(texts)] for name, f in filters.items()}
print((resource.getrusage(resource.RUSAGE_SELF).ru_utime - before) / len(pairs))

scripts = {}
rules = {}
for i, (a, b, x, y) in enumerate(pairs):
    if (x, y) not in rules:
        args = types.SimpleNamespace(
            disable_lm_filter=True, lm_threshold=0, disable_porn_removal=True, disable_lang_ident=True, source_lang=x, target_lang=y,
            run_all_rules=True, disable_minimal_length=False, rules_config={"no_urls": True, "no_number_inconsistencies": True})
        rules[x, y] = Hardrules(args)
        scripts[x, y] = opus.CharacterScoreFilter(scripts=[SCRIPTS[x], SCRIPTS[y]])
    result = [name for name, list in dropped.items() if list[i]]
    if not all(scripts[x, y].accept(s) for s in scripts[x, y].score([(a, b)])):
        result.append("script")
    result += {tag.split("(")[0] for tag in rules[x, y].wrong_tu(a, b) or []}
    print(json.dumps(result))
