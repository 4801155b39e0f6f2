"""Steps of meaning distillation in eager PyTorch, as one would write them: bench.py FOLDER THREADS does a step on the
batch of the folder for each line that comes in, and answers with its seconds, by the clock and of CPU, and its loss."""

import json
import sys
import time

import torch
import torch.nn.functional as F

folder, threads = sys.argv[1:]
torch.set_num_threads(int(threads))
case = json.load(open(folder + "/case.json"))
dim, names = case["dim"], case["names"]
numbers = torch.frombuffer(bytearray(open(folder + "/numbers", "rb").read()), dtype=torch.float32)
w = {}
for name, rows in (("meaning", dim), ("language", dim), ("identity", names)):
    for kind, shape in (("weight", (rows, dim)), ("bias", (rows,))):
        size = rows * dim if kind == "weight" else rows
        w[name + "." + kind], numbers = numbers[:size].clone().view(shape).requires_grad_(), numbers[size:]
vectors, tags = numbers.view(-1, dim), torch.tensor(case["languages"])
adam = torch.optim.Adam(w.values(), lr=case["rate"])


def layer(name, x):
    return F.linear(x, w[name + ".weight"], w[name + ".bias"])


for _ in sys.stdin:
    start, cpu = time.perf_counter(), time.process_time()
    m, l, pairs = layer("meaning", vectors), layer("language", vectors), len(vectors) // 4
    (s, t, s2, t2), (u, v, u2, v2) = m.chunk(4), l.chunk(4)
    loss = 2 * F.mse_loss(m[: 2 * pairs] + l[: 2 * pairs], vectors[: 2 * pairs])
    loss = loss + (1 - F.cosine_similarity(s, t) + F.relu(F.cosine_similarity(s, s2)) + F.relu(F.cosine_similarity(t, t2))).mean()
    loss = loss + (2 - F.cosine_similarity(u, u2) - F.cosine_similarity(v, v2)).mean() + 2 * F.cross_entropy(layer("identity", l[: 2 * pairs]), tags)
    adam.zero_grad()
    loss.backward()
    adam.step()
    print(json.dumps([time.perf_counter() - start, time.process_time() - cpu, loss.item()]), flush=True)
