"""BERT's pretraining (Devlin et al. 2019, section 3.1): masked tokens, and whether the second
segment follows the first, a sequence at a time."""

import torch
import torch.nn.functional as F


def loss(model, batch, o):
    logits, answers = [], []
    for ids, positions, first in zip(model.rows(batch["Texts"]), model.places(batch["Positions"], batch["Texts"]), batch["First"]):
        kinds = torch.tensor([0] * first + [1] * (len(ids) - first))
        x = model.layers(model.embed(ids, kinds=kinds))
        if positions:
            logits.append(model.predict(x[positions]))
        answers.append(model.dense(torch.tanh(model.dense(x[0], "pooler.dense")), "cls.seq_relationship"))
    return F.cross_entropy(torch.cat(logits), torch.tensor(batch["Targets"])) + F.cross_entropy(torch.stack(answers), torch.tensor(batch["Random"]))
