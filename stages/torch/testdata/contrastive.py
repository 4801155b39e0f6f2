"""NT-Xent over 2n views (Chen et al. 2020, equation 1), term by term."""

import torch
import torch.nn.functional as F


def loss(model, batch, o):
    z = F.normalize(torch.cat([model.sentences(batch[side], o["pooling"]) for side in ("A", "B")]), dim=1)
    views = len(z)
    n = views // 2
    terms = []
    for i in range(views):
        e = torch.exp(z @ z[i] / o["temperature"])
        own = (i + n) % views
        terms.append(-torch.log(e[own] / sum(e[k] for k in range(views) if k != i and not batch["Excluded"][i * views + k])))
    return sum(terms) / views
