"""Inference by softmax over features of both sentences (Conneau et al. 2017)."""

import torch
import torch.nn.functional as F


def loss(model, batch, o):
    u, v = (model.sentences(batch[side], o["pooling"]) for side in ("A", "B"))
    made = {"u": u, "v": v, "difference": abs(u - v), "product": u * v}
    logits = model.dense(torch.cat([made[name] for name in o["features"]], dim=1), "nli.classifier")
    return F.cross_entropy(logits, torch.tensor(batch["Labels"]))
