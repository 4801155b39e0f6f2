"""Restates figures of draws, differences and p values from lists that are drawn, with numpy, and
with scipy's correlation of ranks where scipy is there."""

import json
import sys

import numpy as np

try:
    from scipy.stats import spearmanr

    def spearman(x, y):
        return spearmanr(x, y).statistic
except ImportError:

    def ranks(x):
        _, place, count = np.unique(x, return_inverse=True, return_counts=True)
        last = np.cumsum(count)
        return (last - (count - 1) / 2)[place]

    def spearman(x, y):
        return np.corrcoef(ranks(x), ranks(y))[0, 1]


def f1(x, y):
    x, y = np.array(x) == 1, np.array(y) == 1
    return 2 * np.sum(x & y) / (np.sum(x) + np.sum(y))


metrics = {0: lambda x, y: np.mean(x), 1: lambda x, y: np.corrcoef(x, y)[0, 1], 2: spearman, 3: f1}

told = json.load(sys.stdin)
values = []  # by model, then draw
for model in range(2):
    values.append([])
    for d in range(told["draws"]):
        value = told["constant"]
        for term in told["terms"]:
            drawn = told["drawn"][str(term["items"])][d]
            gold = np.array(term["gold"])[drawn] if term["gold"] else None
            runs = [metrics[term["metric"]](np.array(run)[drawn], gold) for run in term["scores"][model]]
            value += term["weight"] * np.mean(runs)
        values[-1].append(value)
differences = np.array(values[0]) - np.array(values[1])
low, high = np.quantile(differences, [0.025, 0.975])
tail = min(np.sum(differences <= 0), np.sum(differences >= 0))
json.dump({"values": values, "low": low, "high": high, "p": min(1, 2 * (tail + 1) / (told["draws"] + 1))}, sys.stdout)
