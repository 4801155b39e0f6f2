"""Contextual lensing with the Simple encoder (Kiros 2020): one matrix over the vectors of a
frozen encoder's tokens, trained by inference or by VSE++ (Faghri et al. 2018)."""

import torch
import torch.nn.functional as F


def begin(model, o):
    for name, p in model.w.items():
        p.requires_grad_("lens" in name)


def loss(model, batch, o):
    def sentence(ids):
        return F.relu(model.dense(model.layers(model.embed(ids)), "lens")).max(0).values

    u, v = (torch.stack([sentence(ids) for ids in model.rows(batch[side])]) for side in ("A", "B"))
    if o["head"] == "classifier":
        hidden = F.relu(model.dense(torch.cat([u, v, u * v, (u - v).abs()], dim=1), "lens_classifier.0"))
        return F.cross_entropy(model.dense(hidden, "lens_classifier.1"), torch.tensor(batch["Labels"]))
    n, total = len(u), 0
    s = F.normalize(u) @ F.normalize(v).T
    allowed = lambda i, j: i != j and not batch["Excluded"][i * n + j]
    for i in range(n):
        total = total + max([torch.tensor(0.0)] + [o["margin"] + s[i, j] - s[i, i] for j in range(n) if allowed(i, j)])
        total = total + max([torch.tensor(0.0)] + [o["margin"] + s[j, i] - s[i, i] for j in range(n) if allowed(j, i)])
    return total
