"""Writes the translations in gettext's message catalogues as lines that `sentweave langid train --texts` reads.

usage: catalogues.py FOLDER OUT

OUT gets texts.txt and, of the catalogues vlc.mo, heldout.txt, without what texts.txt has. The language of a catalogue is the folder
above LC_MESSAGES; original messages are English. What is not translated is left out, and so are elements, place-holders and marks of keys.
A message of several lines gives several texts. What has fewer than ten characters is left out.
"""
import gettext, glob, os, re, sys

MARKS = re.compile(r"<[^<>]*>|&\w+;|%\w+%|\$\([^()]*\)|%[-+ #\d.$*]*[a-zA-Z]|\$?\{[^{}]*\}|[_~&](?=\w)|\\[nrt]")
HELD_OUT = "vlc.mo"

folder, out = sys.argv[1:]
paths = sorted(glob.glob(glob.escape(folder) + "/**/LC_MESSAGES/*.mo", recursive=True), key=lambda p: (os.path.basename(p) == HELD_OUT, p))
seen = set()
with open(out + "/texts.txt", "w", encoding="utf-8") as texts, open(out + "/heldout.txt", "w", encoding="utf-8") as held:
    for path in paths:
        try:
            with open(path, "rb") as file:
                messages = gettext.GNUTranslations(file)._catalog
        except (OSError, ValueError, LookupError) as fault:
            print(f"{path} is left out: {fault}", file=sys.stderr)
            continue
        code = path.split("/")[-3]
        for source, text in messages.items():
            source = (source[0] if isinstance(source, tuple) else source).split("\x04")[-1]
            if source in ("", text):
                continue
            for label, message in ((code, text), ("en", source)):
                for line in MARKS.sub("", message).splitlines():
                    line = " ".join(line.split())
                    if len(line) >= 10 and (label, line) not in seen:
                        seen.add((label, line))
                        (held if path.endswith("/" + HELD_OUT) else texts).write(f"__label__{label} {line}\n")
