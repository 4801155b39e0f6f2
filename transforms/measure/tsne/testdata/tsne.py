"""t-SNE restated from van der Maaten and Hinton (2008), with scikit-learn's rates and steps. It
reads {x, start, perplexity, steps} as JSON and prints the joint probabilities, and the places,
the gradient and the divergence after so many steps."""
import json
import sys

import numpy

task = json.load(sys.stdin)
x, y = numpy.asarray(task["x"], dtype=numpy.float32).astype(numpy.float64), numpy.asarray(task["start"])
n = len(x)


def conditional(row, self):
    """Shares whose entropy is that of the perplexity, by bisection of the logarithm of the width."""
    low, high = -60.0, 60.0
    for _ in range(300):
        middle = (low + high) / 2
        weights = numpy.exp(-(row - numpy.delete(row, self).min()) * numpy.exp(middle))
        weights[self] = 0
        shares = weights / weights.sum()
        some = shares[shares > 0]
        low, high = (middle, high) if -(some * numpy.log(some)).sum() > numpy.log(task["perplexity"]) else (low, middle)
    return shares


distances = ((x[:, None] - x[None]) ** 2).sum(2)
p = numpy.array([conditional(distances[i], i) for i in range(n)])
p = numpy.maximum((p + p.T) / (2 * n), 1e-12)
numpy.fill_diagonal(p, 0)


def gradient(y, p):
    apart = y[:, None] - y[None]
    affinity = 1 / (1 + (apart**2).sum(2))
    numpy.fill_diagonal(affinity, 0)
    q = affinity / affinity.sum()
    off = ~numpy.eye(n, dtype=bool)
    divergence = (p[off] * numpy.log(p[off] / q[off])).sum()
    return 4 * (((p - q) * affinity)[:, :, None] * apart).sum(1), divergence


y = y / y[:, 0].std() * 1e-4
velocity, gains = numpy.zeros_like(y), numpy.ones_like(y)
for step in range(task["steps"]):
    early = step < 250
    g, _ = gradient(y, p * 12 if early else p)
    gains = numpy.where(velocity * g < 0, gains + 0.2, numpy.maximum(gains * 0.8, 0.01))
    velocity = (0.5 if early else 0.8) * velocity - max(n / 12 / 4, 50) * gains * g
    y = y + velocity
g, divergence = gradient(y, p)
json.dump({"joint": p.tolist(), "places": y.tolist(), "gradient": g.tolist(), "divergence": divergence}, sys.stdout)
