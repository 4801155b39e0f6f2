"""The conditional masked language model (Yang et al. 2021, section 2), a pair at a time."""

import torch
import torch.nn.functional as F


def loss(model, batch, o):
    hidden, n = model.config["hidden_size"], o["vectors"]
    logits = []
    for a, b, positions in zip(model.rows(batch["A"]), model.rows(batch["B"]), model.places(batch["Positions"], batch["B"])):
        v = model.sentence(a, o["pooling"])
        if o["detach_vector"]:
            v = v.detach()
        prefix = v.view(1, hidden)
        if n > 1:
            h = v
            for i in range(len(o["widths"] or [])):
                h = F.relu(model.dense(h, f"cmlm.projection.{i}"))
            h = model.dense(h, f"cmlm.projection.{len(o['widths'] or [])}")
            prefix = torch.cat([prefix, h.view(n - 1, hidden)])
        projected = prefix
        first = n if o["prefix_positions"] == "own" else 0
        places = torch.cat([torch.arange(n).clamp(max=first), first + torch.arange(len(b))])
        if model.kind == "modernbert":  # which has them in attention
            pass
        elif first:
            prefix = prefix + model.w["embeddings.position_embeddings.weight"][model.first :][:n]
        elif o["prefix_positions"] == "shared":
            prefix = prefix + model.w["embeddings.position_embeddings.weight"][model.first]
        if o["prefix_norm"]:
            prefix = model.norm(prefix, "embeddings.LayerNorm")
        outputs = model.layers(torch.cat([prefix, model.embed(b, first)]), places)[n:][positions]
        if o.get("skip"):  # one matrix over each output and all vectors
            outputs = torch.cat([outputs, projected.view(1, -1).expand(len(outputs), -1)], dim=1)
        logits.append(model.predict(outputs))
    return F.cross_entropy(torch.cat(logits), torch.tensor(batch["Targets"]))
