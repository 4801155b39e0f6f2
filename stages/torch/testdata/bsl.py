"""Bootstrapped sentence representation learning (Zhang et al. 2021, section 3): a
predictor on the encoder foretells the other view by a target that follows it."""

import torch
import torch.nn.functional as F

TARGET = "bsl.target."


def begin(model, o):
    if o["stop_gradient"]:
        for name in [k for k in model.w if k.startswith(("embeddings.", "encoder."))]:
            model.w[TARGET + name] = model.w[name].detach().clone()


def after(model, o):
    with torch.no_grad():
        for name in model.w:
            if name.startswith(TARGET):
                model.w[name] = o["momentum"] * model.w[name] + (1 - o["momentum"]) * model.w[name.removeprefix(TARGET)]


def normed(model, x, name):
    w, name = model.w, model.own + name
    x = x @ w[name + ".weight"].T
    mean, variance = x.mean(0), x.var(0, unbiased=False)
    with torch.no_grad():
        w[name + ".BatchNorm.running_mean"] = 0.9 * w[name + ".BatchNorm.running_mean"] + 0.1 * mean
        w[name + ".BatchNorm.running_var"] = 0.9 * w[name + ".BatchNorm.running_var"] + 0.1 * x.var(0)
    return (x - mean) / torch.sqrt(variance + 1e-5) * w[name + ".BatchNorm.weight"] + w[name + ".BatchNorm.bias"]


def predict(model, x, kind):
    for i in range({"paper": 1, "release": 3, "none": 0}[kind]):
        p = f"bsl.predictor.{i}."
        x = F.relu(normed(model, x, p + "0"))
        x = F.relu(normed(model, x, p + "1") if kind == "paper" else model.dense(x, p + "1"))
        x = model.dense(x, p + "2")
    return x


def loss(model, batch, o):
    def target(side):
        if not o["stop_gradient"]:
            return model.sentences(batch[side], o["pooling"])
        model.prefix = TARGET
        with torch.no_grad():
            h = model.sentences(batch[side], o["pooling"])
        model.prefix = ""
        return h

    total = 0
    for one, other in ("AB", "BA"):
        z = predict(model, model.sentences(batch[one], o["pooling"]), o["predictor"])
        total = total - F.cosine_similarity(z, target(other)).mean() / 2
    return total
