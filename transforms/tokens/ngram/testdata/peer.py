"""Scores sentences by kenlm, of models that are estimated here: one ARPA file of each language of the handbook, and what build_binary makes of it.

Usage: peer.py HANDBOOK FOLDER LANGUAGE... The models are written into the folder. Each line that is written is a JSON object: the model, the seconds
of CPU time and the words of all scores, and for each sentence its text, score and perplexity.
"""
import collections
import html
import json
import math
import pathlib
import re
import subprocess
import sys
import time

import kenlm

ORDER = 4
KINDS = {"arpa": None, "probing": ["probing"], "trie": ["trie"], "trie-q": ["-q", "6", "-b", "5", "trie"], "trie-a": ["-a", "22", "trie"],
         "trie-qa": ["-q", "8", "-b", "8", "-a", "22", "trie"]}


def lines(folder):
    for page in sorted(folder.glob("*.html"))[:12]:
        text = re.sub(r"(?s)<(script|style).*?</\1>|<[^>]+>", "\n", page.read_text("utf-8"))
        for line in html.unescape(text).split("\n"):
            if len(line.split()) > 3:
                yield line.strip()


def estimate(sentences, path):
    """Writes a back-off model with absolute discounting, of which n-grams that were seen once are left out here and there.

    So some n-grams are there without their last words as an n-gram of their own, as in models that SRILM pruned.
    """
    counts = [collections.Counter() for _ in range(ORDER)]
    for sentence in sentences:
        words = ["<s>", *sentence.split(), "</s>"]
        for n in range(ORDER):
            counts[n].update(tuple(words[i:i + n + 1]) for i in range(len(words) - n))
    contexts = [collections.defaultdict(lambda: [0, 0]) for _ in range(ORDER)]
    for n in range(ORDER):
        for gram, count in counts[n].items():
            if gram != ("<s>",):
                context = contexts[n][gram[:-1]]
                context[0] += count
                context[1] += 1
    probability = {}
    for n in range(ORDER):
        for gram, count in counts[n].items():
            total, types = contexts[n][gram[:-1]]
            lower = probability[gram[1:]] if n else 1 / (types + 1)
            probability[gram] = (count - .5) / total + .5 * types / total * lower
    total, types = contexts[0][()]
    kept = [[g for g in counts[n] if n == 0 or n == ORDER - 1 or g in contexts[n + 1] or counts[n][g] > 1 or len(g[-1]) % 2]
            for n in range(ORDER)]
    with open(path, "w") as out:
        out.write("\\data\\\n")
        for n in range(ORDER):
            out.write(f"ngram {n + 1}={len(kept[n]) + (n == 0)}\n")
        for n in range(ORDER):
            out.write(f"\n\\{n + 1}-grams:\n")
            if n == 0:
                out.write(f"{math.log10(.5 * types / total / (types + 1)):.6f}\t<unk>\n")
            for gram in kept[n]:
                logarithm = -99 if gram == ("<s>",) else math.log10(probability[gram])
                out.write(f"{logarithm:.6f}\t{' '.join(gram)}")
                if n + 1 < ORDER and gram in contexts[n + 1]:
                    total_, types_ = contexts[n + 1][gram]
                    out.write(f"\t{math.log10(.5 * types_ / total_):.6f}")
                out.write("\n")
        out.write("\n\\end\\\n")


builder = pathlib.Path(sys.executable).parent / "build_binary"
for language in sys.argv[3:]:
    texts = list(dict.fromkeys(lines(pathlib.Path(sys.argv[1]) / language)))
    learned = [t for i, t in enumerate(texts) if i % 3]
    texts += ["", "<unk> </s> <s>", "a\tb  c\u00a0d"]
    arpa = f"{sys.argv[2]}/{language}.arpa"
    estimate(learned, arpa)
    for kind, flags in KINDS.items():
        if flags and not builder.exists():
            continue
        path = f"{sys.argv[2]}/{language}.{kind}"
        if flags:
            subprocess.run([builder, "-s", *flags, arpa, path], check=True, stderr=subprocess.DEVNULL)
        model = kenlm.Model(path)
        begin = time.process_time()
        for text in texts:
            model.score(text)
        seconds = time.process_time() - begin
        # In double precision, where score() sums in single precision.
        scores = [sum(s for s, _, _ in model.full_scores(t)) for t in texts]
        print(json.dumps({"model": path, "seconds": seconds, "words": sum(len(t.split()) + 1 for t in texts),
                          "sentences": [[t, s, model.perplexity(t)] for t, s in zip(texts, scores)]}))
