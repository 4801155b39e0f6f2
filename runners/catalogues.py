"""Writes the translations in gettext's and MediaWiki's message catalogues as lines that `sentweave langid train --texts` reads.

usage: catalogues.py FOLDER OUT

OUT gets texts.txt and, of the catalogues vlc.mo, heldout.txt, without what texts.txt has. The language of a catalogue is the folder
above LC_MESSAGES, of MediaWiki's the name of the file i18n/….json; original messages are English. What is not translated is left out, and so are elements, place-holders and marks of keys.
A message of several lines gives several texts. What has fewer than ten characters is left out.
"""
import gettext, glob, json, os, re, sys

MARKS = re.compile(r"<[^<>]*>|\{\{[^{}|]*\||\}\}|\[\[[^][|]*\||\[\[|\]\]|\[?https?://\S*|''+|\$\d+|&\w+;|%\w+%|\$\([^()]*\)|%[-+ #\d.$*]*[a-zA-Z]|\$?\{[^{}]*\}|[_~&](?=\w)|\\[nrt]")
HELD_OUT = "vlc.mo"


def gettext_pairs(path):
    """The language of a catalogue of gettext, and its messages as pairs of English and translation."""
    with open(path, "rb") as file:
        messages = gettext.GNUTranslations(file)._catalog
    return path.split("/")[-3], [((source[0] if isinstance(source, tuple) else source).split("\x04")[-1], text) for source, text in messages.items()]


def mediawiki_pairs(path):
    """The language of a catalogue of MediaWiki, and its messages as pairs of English and translation."""
    def messages(path):
        with open(path, encoding="utf-8") as file:
            return {key: text for key, text in json.load(file).items() if isinstance(text, str)}
    english = messages(os.path.dirname(path) + "/en.json")
    return os.path.basename(path)[:-len(".json")], [(english.get(key, ""), text) for key, text in messages(path).items()]


folder, out = sys.argv[1:]
paths = glob.glob(glob.escape(folder) + "/**/LC_MESSAGES/*.mo", recursive=True)
paths.sort(key=lambda p: (os.path.basename(p) == HELD_OUT, p))
ORIGINALS = {"en.json", "qqq.json"}  # qqq has remarks for translators
wiki = sorted(p for p in glob.glob(glob.escape(folder) + "/**/i18n/**/*.json", recursive=True)
              if os.path.basename(p) not in ORIGINALS and os.path.exists(os.path.dirname(p) + "/en.json"))
seen = set()
with open(out + "/texts.txt", "w", encoding="utf-8") as texts, open(out + "/heldout.txt", "w", encoding="utf-8") as held:
    for path in wiki + paths:
        try:
            code, pairs = (gettext_pairs if path.endswith(".mo") else mediawiki_pairs)(path)
        except (OSError, ValueError, LookupError) as fault:
            print(f"{path} is left out: {fault}", file=sys.stderr)
            continue
        for source, text in pairs:
            if source in ("", text):
                continue
            for label, message in ((code, text), ("en", source)):
                for line in MARKS.sub("", message).splitlines():
                    line = " ".join(line.split())
                    if len(line) >= 10 and (label, line) not in seen:
                        seen.add((label, line))
                        (held if path.endswith("/" + HELD_OUT) else texts).write(f"__label__{label} {line}\n")
