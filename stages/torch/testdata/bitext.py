"""Bitext retrieval with additive margin (Yang et al. 2021, section 3.1), term by term."""

import torch
import torch.nn.functional as F


def loss(model, batch, o):
    x, y = (F.normalize(torch.stack([model.sentence(s, o["pooling"]) for s in model.rows(batch[side])]), dim=1) for side in ("A", "B"))
    n = len(x)
    phi, excluded = x @ y.T, [batch["Excluded"][i * n :][:n] for i in range(n)]

    # Hard negatives are candidates for every first side.
    hard, k = torch.zeros(n, 0), batch["Negatives"]["Count"]
    if k:
        hard = x @ F.normalize(torch.stack([model.sentence(s, o["pooling"]) for s in model.rows(batch["Negatives"])]), dim=1).T

    def one(phi, excluded, hard):
        loss = 0
        for i in range(n):
            true = torch.exp(o["scale"] * (phi[i, i] - o["margin"]))
            others = sum(torch.exp(o["scale"] * phi[i, j]) for j in range(n) if j != i and not excluded[i][j])
            others = others + sum(torch.exp(o["scale"] * hard[i, j]) for j in range(hard.shape[1]) if not batch["ExcludedNegatives"][i * k + j])
            loss = loss - torch.log(true / (true + others))
        return loss / n

    return one(phi, excluded, hard) + one(phi.T, [list(row) for row in zip(*excluded)], hard[:, :0])
