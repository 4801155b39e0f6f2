# Restates SentEval's classifier in numpy, in double precision: reads a run as JSON, with the
# initial weights and the order of the rows of each pass, and writes the weights after it.
import json
import sys

import numpy as np

run = json.load(sys.stdin)
x, y = np.array(run["x"]), np.array(run["y"])
first = [np.array(run["weights"]), np.array(run["bias"])]
params = first + ([np.array(run["weights2"]), np.array(run["bias2"])] if run["hidden"] else [])
mean = [np.zeros_like(p) for p in params]
square = [np.zeros_like(p) for p in params]
steps = 0


def gradients(xb, yb):
    """Gradients of the mean cross entropy."""
    out = xb
    if run["hidden"]:
        out = 1 / (1 + np.exp(-(xb @ params[0].T + params[1])))
    scores = out @ params[-2].T + params[-1]
    p = np.exp(scores - scores.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    p[np.arange(len(yb)), yb] -= 1
    p /= len(yb)
    last = [p.T @ out, p.sum(0)]
    if not run["hidden"]:
        return last
    back = (p @ params[-2]) * out * (1 - out)
    return [back.T @ xb, back.sum(0)] + last


for order in run["orders"]:
    for at in range(0, len(order), run["batch"]):
        batch = order[at : at + run["batch"]]
        steps += 1
        for i, g in enumerate(gradients(x[batch], y[batch])):
            g = g + run["penalty"] * params[i]
            if run["optimizer"] == "rmsprop":
                square[i] = 0.99 * square[i] + 0.01 * g * g
                params[i] = params[i] - 1e-2 * g / (np.sqrt(square[i]) + 1e-8)
                continue
            mean[i] = 0.9 * mean[i] + 0.1 * g
            square[i] = 0.999 * square[i] + 0.001 * g * g
            m, v = mean[i] / (1 - 0.9**steps), square[i] / (1 - 0.999**steps)
            params[i] = params[i] - 1e-3 * m / (np.sqrt(v) + 1e-8)

json.dump([p.tolist() for p in params], sys.stdout)
