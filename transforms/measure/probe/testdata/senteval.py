"""SentEval's classifier without a hidden layer, restated in PyTorch from its protocol: it reads
{parts: training, development and test with x and y, classes, penalties, seeds, batch, epoch_size,
max_epoch, tenacity} as JSON, and prints the accuracy on the test for each seed."""
import copy
import json
import sys

import torch

torch.set_num_threads(1)
run = json.load(sys.stdin)
(x, y), (dev_x, dev_y), (test_x, test_y) = [(torch.tensor(p["x"], dtype=torch.float32), torch.tensor(p["y"])) for p in run["parts"]]


def accuracy(model, x, y):
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def fit(penalty, seed):
    torch.manual_seed(seed)
    model = torch.nn.Linear(x.shape[1], run["classes"])
    optimizer = torch.optim.Adam(model.parameters(), weight_decay=penalty)
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


results = []
for seed in range(run["seeds"]):
    fits = [fit(penalty, seed) for penalty in run["penalties"]]
    _, model = max(fits, key=lambda f: round(100 * f[0], 2))
    results.append(accuracy(model, test_x, test_y))
json.dump(results, sys.stdout)
