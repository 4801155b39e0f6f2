"""The masked language model (Devlin et al. 2019, section 3.1), a sentence at a time."""

import torch
import torch.nn.functional as F


def loss(model, batch, o):
    logits = [
        model.predict(model.layers(model.embed(ids))[positions])
        for ids, positions in zip(model.rows(batch["Texts"]), model.places(batch["Positions"], batch["Texts"]))
        if positions
    ]
    return F.cross_entropy(torch.cat(logits), torch.tensor(batch["Targets"]))
