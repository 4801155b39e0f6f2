"""Cosines fitted to gold values, and CoSENT (Su 2022) term by term."""

import torch
import torch.nn.functional as F


def loss(model, batch, o):
    c = F.cosine_similarity(*(model.sentences(batch[side], o["pooling"]) for side in ("A", "B")))
    gold = torch.tensor(batch["Targets"])
    if o["loss"] == "regression":
        return ((c - (gold - o["lowest"]) / (o["highest"] - o["lowest"])) ** 2).mean()
    n = len(gold)
    return torch.log(1 + sum(torch.exp(o["scale"] * (c[j] - c[i])) for i in range(n) for j in range(n) if gold[i] > gold[j]))
