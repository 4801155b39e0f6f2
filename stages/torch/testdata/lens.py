"""Contextual lensing (Kiros 2020): the Simple encoder, one matrix over the vectors of a frozen
encoder's tokens, or the GatedConv, trained by inference or by VSE++ (Faghri et al. 2018)."""

import torch
import torch.nn.functional as F


def begin(model, o):
    for name, p in model.w.items():
        p.requires_grad_("lens" in name)


def loss(model, batch, o):
    def branch(x, name, last):
        """Equations 1 and 2, and what the last layer does: the first layer and the last."""
        first = h = F.relu(model.dense(x, f"lens.{name}.0"))
        for i in range(1, o["layers"] + 1):
            w = model.w[f"lens.{name}.{i}.weight"].view(o["gate"], o["width"], o["gate"]).permute(0, 2, 1)
            h = F.conv1d(h.T[None], w, model.w[f"lens.{name}.{i}.bias"], padding=o["width"] // 2)[0].T
            h = last(h) if i == o["layers"] else F.relu(h)
        return first, h

    def sentence(ids):
        x = model.layers(model.embed(ids))
        if o.get("gate"):
            h0, h = branch(x, "encoder", torch.tanh)
            g0, g = branch(x, "controller", torch.sigmoid)
            x = h * g + (g0 if o["skip"] == "g0" else h0)
        return F.relu(model.dense(x, "lens")).max(0).values[: model.cut]

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
