"""Bitext retrieval with additive margin (Yang et al. 2021, section 3.1), term by term."""

import torch
import torch.nn.functional as F


def loss(model, batch, o):
    x, y = (F.normalize(torch.stack([model.sentence(s, o["pooling"]) for s in model.rows(batch[side])]), dim=1) for side in ("A", "B"))
    n = len(x)
    phi, excluded = x @ y.T, [batch["Excluded"][i * n :][:n] for i in range(n)]

    def one(phi, excluded):
        loss = 0
        for i in range(n):
            true = torch.exp(o["scale"] * (phi[i, i] - o["margin"]))
            others = sum(torch.exp(o["scale"] * phi[i, j]) for j in range(n) if j != i and not excluded[i][j])
            loss = loss - torch.log(true / (true + others))
        return loss / n

    return one(phi, excluded) + one(phi.T, [list(row) for row in zip(*excluded)])
