"""Mining as LASER does it, restated from its procedure: k nearest by cosine in both
directions, scores by margin, four retrievals, and the threshold of the best F1. It reads
{x, y, k, gold} as JSON lines from standard input and prints, for each margin and retrieval,
the pairs with their scores and the threshold. Of {x, y, k, score} it prints the
margins of these pairs, as mine_bitexts.py --mode score does."""
import json
import sys

import numpy

margins = {"ratio": lambda a, b: a / b, "distance": lambda a, b: a - b, "absolute": lambda a, b: a}


def unit(rows):
    rows = numpy.asarray(rows, dtype=numpy.float32).astype(numpy.float64)
    return rows / numpy.linalg.norm(rows, axis=1, keepdims=True)


def nearest(a, b, k):
    similarity = a @ b.T
    index = numpy.argsort(-similarity, axis=1, kind="stable")[:, : min(k, len(b))]
    return numpy.take_along_axis(similarity, index, 1), index


def mine(x, y, k, margin):
    forward, to_y = nearest(x, y, k)
    backward, to_x = nearest(y, x, k)
    mean_x, mean_y = forward.mean(1), backward.mean(1)
    forward = margin(forward, (mean_x[:, None] + mean_y[to_y]) / 2)
    backward = margin(backward, (mean_y[:, None] + mean_x[to_x]) / 2)
    best_y = to_y[numpy.arange(len(x)), forward.argmax(1)]
    best_x = to_x[numpy.arange(len(y)), backward.argmax(1)]
    result = {
        "fwd": [(i, int(j), forward[i].max()) for i, j in enumerate(best_y)],
        "bwd": [(int(i), j, backward[j].max()) for j, i in enumerate(best_x)],
        "intersect": [(i, int(j), forward[i].max()) for i, j in enumerate(best_y) if best_x[j] == i],
    }
    indices = numpy.stack((numpy.concatenate((numpy.arange(len(x)), best_x)), numpy.concatenate((best_y, numpy.arange(len(y))))), axis=1)
    scores = numpy.concatenate((forward.max(1), backward.max(1)))
    seen_x, seen_y, pairs = set(), set(), []
    for at in numpy.lexsort((indices[:, 1], indices[:, 0], -scores)):  # LASER leaves open which of equal scores is first
        i, j = map(int, indices[at])
        if i not in seen_x and j not in seen_y:
            seen_x.add(i)
            seen_y.add(j)
            if scores[at] > 0:
                pairs.append((i, j, scores[at]))
    result["max"] = pairs
    return result


def optimize(pairs, gold):
    items = sorted(pairs, key=lambda p: -p[2])
    correct, best, threshold = 0, 0, 0
    for n, (i, j, _) in enumerate(items, 1):
        correct += (i, j) in gold
        if correct:
            precision, recall = correct / n, correct / len(gold)
            f1 = 2 * precision * recall / (precision + recall)
            if f1 > best:
                following = items[n][2] if n < len(items) else items[n - 1][2]
                best, threshold = f1, (items[n - 1][2] + following) / 2
    return threshold, best


if __name__ == "__main__":
    for line in sys.stdin:
        task = json.loads(line)
        if "score" in task:
            x, y = unit(task["x"]), unit(task["y"])
            mean_x, mean_y = (nearest(a, b, task["k"])[0].mean(1) for a, b in ((x, y), (y, x)))
            print(json.dumps([float(x[i] @ y[j] / ((mean_x[i] + mean_y[j]) / 2)) for i, j in task["score"]]))
            continue
        gold = {tuple(p) for p in task["gold"]}
        x, y = unit(task["x"]), unit(task["y"])
        for name, margin in margins.items():
            for retrieval, pairs in mine(x, y, task["k"], margin).items():
                pairs = sorted(pairs, key=lambda p: -p[2])
                threshold, f1 = optimize(pairs, gold)
                print(json.dumps({"margin": name, "retrieval": retrieval, "pairs": pairs, "threshold": threshold, "f1": f1}))
