"""Steps of meaning distillation in PyTorch, written from the paper (Tiyajamorn et al. 2021,
section 3): weights and batches come in as JSON, losses and weights go out."""

import json
import sys

import torch
import torch.nn.functional as F

case = json.load(sys.stdin)
w = {k: torch.tensor(v, requires_grad=True) for k, v in case["weights"].items()}
adam = torch.optim.Adam(w.values(), lr=case["rate"])


def layer(name, x):
    return F.linear(x, w[name + ".weight"], w[name + ".bias"])


losses = []
for batch in case["batches"]:
    s, t, s2, t2 = torch.tensor(batch["vectors"]).chunk(4)
    tags = torch.tensor(batch["languages"]).chunk(2)
    m = [layer("meaning", x) for x in (s, t, s2, t2)]
    l = [layer("language", x) for x in (s, t, s2, t2)]
    reconstruction = F.mse_loss(m[0] + l[0], s) + F.mse_loss(m[1] + l[1], t)
    cos = F.cosine_similarity
    meaning = (1 - cos(m[0], m[1]) + F.relu(cos(m[0], m[2])) + F.relu(cos(m[1], m[3]))).mean()
    language = (2 - cos(l[0], l[2]) - cos(l[1], l[3])).mean() + sum(F.cross_entropy(layer("identity", x), y) for x, y in zip(l[:2], tags))
    loss = case["r"] * reconstruction + case["m"] * meaning + case["l"] * language
    adam.zero_grad()
    loss.backward()
    adam.step()
    losses.append(loss.item())
json.dump({"losses": losses, "weights": {k: v.tolist() for k, v in w.items()}}, sys.stdout)
