"""BUCC as LASER measures it, from its files: equal lines are mined once, candidates whose line
is under several ids are dropped, and the threshold of one part is taken to the next. Mining
itself is in laser.py, in the folder that is the first argument. It reads the folder of a pair of
languages, their codes, and the vectors of all lines from standard input, as JSON, and prints the
figures of each part, margin and retrieval."""
import json
import sys

sys.path.insert(0, sys.argv[1])
import laser

task = json.load(sys.stdin)


def lines(part, name):
    with open(f"{task['folder']}/{task['source']}-en.{part}.{name}", encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f]


thresholds = {}
for part in task["parts"]:
    sides = []
    for code in task["source"], "en":
        unique, ids = [], {}
        for id, text in lines(part, code):
            if text not in ids:
                unique.append(text)
            ids.setdefault(text, []).append(id)
        sides.append((unique, ids, laser.unit([task["vectors"][code][text] for text in unique])))
    (sources, source_ids, x), (targets, target_ids, y) = sides
    gold = {tuple(pair) for pair in lines(part, "gold")}
    for name, margin in laser.margins.items():
        for retrieval, found in laser.mine(x, y, 4, margin).items():
            pairs = []
            for i, j, score in sorted(found, key=lambda p: -p[2]):
                a, b = source_ids[sources[i]], target_ids[targets[j]]
                if len(a) == 1 and len(b) == 1:
                    pairs.append((a[0], b[0], score))
            threshold, f1 = laser.optimize(pairs, gold)
            result = {"part": part, "margin": name, "retrieval": retrieval, "pairs": pairs, "threshold": threshold, "f1": f1}
            if (name, retrieval) in thresholds:
                extracted = [p[:2] for p in pairs if p[2] >= thresholds[name, retrieval]]
                correct = len(gold & set(extracted))
                result["carried"] = 2 * correct / (len(extracted) + len(gold))
            thresholds[name, retrieval] = threshold
            print(json.dumps(result))
