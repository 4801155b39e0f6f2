"""SentEval's classifiers and its relatedness on frozen vectors, restated in numpy and PyTorch from
its protocol. It reads JSON: {parts: [{name, u, v: files of float32, y: classes or scores}], dimension,
classes (0 where scores are predicted), seeds, optimizer, batch, epoch_size, max_epoch, tenacity,
folds, penalties}, and prints {figures: of each seed, an accuracy or Pearson's correlation, seconds: of
a processor}."""
import copy
import json
import sys
import time

import numpy as np
import torch

torch.set_num_threads(1)
run = json.load(sys.stdin)


def read(part):
    def matrix(name):
        return torch.from_numpy(np.fromfile(name, dtype="<f4").reshape(len(part["y"]), run["dimension"]))

    x = matrix(part["u"])
    if part["v"]:
        v = matrix(part["v"])
        x = torch.cat([(x - v).abs(), x * v], 1)
    return x, torch.tensor(part["y"])


parts = {part["name"]: read(part) for part in run["parts"]}


def accuracy(model, x, y):
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def fit(x, y, dev_x, dev_y, penalty, seed):
    """trains until the accuracy on the development rows was not better too often, and returns the best"""
    torch.manual_seed(seed)
    model = torch.nn.Linear(x.shape[1], run["classes"])
    optimizer = {"adam": torch.optim.Adam, "rmsprop": torch.optim.RMSprop}[run["optimizer"]](model.parameters(), weight_decay=penalty)
    loss = torch.nn.CrossEntropyLoss()
    best, kept, looks, passes, stop = -1, None, 0, 0, False
    while not stop and passes <= run["max_epoch"]:
        for _ in range(run["epoch_size"]):
            order = torch.randperm(len(x))
            for i in range(0, len(x), run["batch"]):
                rows = order[i : i + run["batch"]]
                optimizer.zero_grad()
                loss(model(x[rows]), y[rows]).backward()
                optimizer.step()
        passes += run["epoch_size"]
        got = accuracy(model, dev_x, dev_y)
        if got > best:
            best, kept = got, copy.deepcopy(model)
        else:  # the count is never reset
            stop = looks >= run["tenacity"]
            looks += 1
    return best, kept


def best_penalty(scores):
    return run["penalties"][int(np.argmax(np.round(100 * np.array(scores), 2)))]  # the first of equal ones


def stratified(y, generator):
    """the folds of rows: of each class in turn, shuffled, a row to each fold"""
    fold = np.empty(len(y), dtype=int)
    for c in np.unique(y):
        rows = generator.permutation(np.flatnonzero(y == c))
        fold[rows] = np.arange(len(rows)) % run["folds"]
    return fold


def cross_validated(x, y, seed, generator):
    """the classifier on all rows, with the penalty that is best in their folds"""
    fold = stratified(y.numpy(), generator)
    scores = []
    for penalty in run["penalties"]:
        fits = [fit(x[fold != k], y[fold != k], x[fold == k], y[fold == k], penalty, seed)[0] for k in range(run["folds"])]
        scores.append(np.mean(fits))
    order = generator.permutation(len(y))
    dev, train = order[: int(0.05 * len(y))], order[int(0.05 * len(y)) :]
    return fit(x[train], y[train], x[dev], y[dev], best_penalty(scores), seed)[1]


def classified(seed):
    generator = np.random.RandomState(seed)
    if "pool" in parts:
        x, y = parts["pool"]
        fold = stratified(y.numpy(), generator)
        return np.mean([accuracy(cross_validated(x[fold != k], y[fold != k], seed, generator), x[fold == k], y[fold == k]) for k in range(run["folds"])])
    if "dev" not in parts:
        return accuracy(cross_validated(*parts["train"], seed, generator), *parts["test"])
    fits = [fit(*parts["train"], *parts["dev"], penalty, seed) for penalty in run["penalties"]]
    penalty = best_penalty([f[0] for f in fits])
    return accuracy(fits[run["penalties"].index(penalty)][1], *parts["test"])


def related(seed):
    """the correlation of the expected bins, of five, with the scores"""
    (x, y), (dev_x, dev_y), (test_x, test_y) = parts["train"], parts["dev"], parts["test"]
    target = torch.zeros(len(y), 5)
    for i, score in enumerate(y.tolist()):
        for b in range(1, 6):
            if b == np.floor(score) + 1:
                target[i, b - 1] = score - np.floor(score)
            if b == np.floor(score):
                target[i, b - 1] = np.floor(score) - score + 1
    torch.manual_seed(seed)
    model = torch.nn.Sequential(torch.nn.Linear(x.shape[1], 5), torch.nn.Softmax(dim=-1))
    optimizer, loss = torch.optim.Adam(model.parameters()), torch.nn.MSELoss()

    def correlation(model, x, y):
        with torch.no_grad():
            return np.corrcoef((model(x).double() @ torch.arange(1.0, 6.0, dtype=torch.float64)).numpy(), y.numpy())[0, 1]

    best, kept, looks, passes, stop = -1, None, 0, 0, False
    while not stop and passes < 1000:
        for _ in range(50):
            order = torch.randperm(len(x))
            for i in range(0, len(x), 64):
                rows = order[i : i + 64]
                optimizer.zero_grad()
                loss(model(x[rows]), target[rows]).backward()
                optimizer.step()
        passes += 50
        got = correlation(model, dev_x, dev_y)
        if got > best:
            best, kept = got, copy.deepcopy(model)
        else:
            stop = looks >= 3
            looks += 1
    return correlation(kept, test_x, test_y)


began = time.process_time()
figures = [float((classified if run["classes"] else related)(seed)) for seed in range(run["seeds"])]
json.dump({"figures": figures, "seconds": time.process_time() - began}, sys.stdout)
