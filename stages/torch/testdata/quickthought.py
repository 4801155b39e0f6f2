"""Quick-Thought (Logeswaran and Lee 2018, section 3): the neighbour of each text among all
others, by the product of vectors of two encoders."""

import torch
import torch.nn.functional as F


def loss(model, batch, o):
    def vectors(prefix):
        model.prefix = prefix
        x = torch.cat([model.sentences(batch[side], o["pooling"]) for side in "AB"])
        model.prefix = ""
        return x

    f, g = vectors(""), vectors("quickthought.second.")
    views, total = len(f), 0
    for i in range(views):
        allowed = [j for j in range(views) if j != i and not batch["Excluded"][i * views + j]]
        scores = torch.stack([f[i] @ g[j] for j in allowed])
        total = total + torch.logsumexp(scores, 0) - f[i] @ g[(i + views // 2) % views]
    return total / views
