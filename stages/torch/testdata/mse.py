"""The mean squared error to a teacher's vectors (Reimers and Gurevych 2020), as
sentence-transformers' MSELoss has it: over all sentences and dimensions."""

import torch
import torch.nn.functional as F


def loss(model, batch, o):
    x = torch.stack([model.sentence(ids, o["pooling"]) for ids in model.rows(batch["Texts"])])
    p, w = model.own + "mse.projection", model.w
    if p + ".weight" in w:
        x = model.dense(x, p)
    elif p + ".0.weight" in w:
        norm = [w[p + ".BatchNorm." + name] for name in ("running_mean", "running_var", "weight", "bias")]
        x = F.relu(F.batch_norm(F.linear(x, w[p + ".0.weight"]), *norm, training=True))
        x = model.dense(x, p + ".1")
    return F.mse_loss(x, torch.tensor(batch["Vectors"]).view(len(x), -1))
