"""Training steps by an independent restatement in PyTorch, for every case folder
given: it begins with the weights saved there, follows case.json and writes
result.json (losses and norms) and result.bin (all parameters by name). The loss of an
objective is in the file of its name."""

import importlib
import json
import math
import os
import struct
import sys

import torch
import torch.nn.functional as F

torch.set_num_threads(1)


def read(path):
    data = open(path, "rb").read()
    (n,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, t in json.loads(data[8 : 8 + n]).items():
        if name != "__metadata__":
            a, b = t["data_offsets"]
            tensors[name] = torch.frombuffer(bytearray(data[8 + n + a : 8 + n + b]), dtype=torch.float32).reshape(t["shape"]).to(torch.get_default_dtype(), copy=True)
    return tensors


# What is in names of weights and settings in the place of BERT's.
NAMES = {
    "mpnet": {"attention.attn.q": "attention.self.query", "attention.attn.k": "attention.self.key", "attention.attn.v": "attention.self.value",
              "attention.attn.o": "attention.output.dense", "attention.LayerNorm": "attention.output.LayerNorm"},
    "distilbert": {"transformer.": "encoder.", "attention.q_lin": "attention.self.query", "attention.k_lin": "attention.self.key",
                   "attention.v_lin": "attention.self.value", "attention.out_lin": "attention.output.dense",
                   "sa_layer_norm": "attention.output.LayerNorm", "ffn.lin1": "intermediate.dense", "ffn.lin2": "output.dense",
                   "output_layer_norm": "output.LayerNorm", "n_layers": "num_hidden_layers", "n_heads": "num_attention_heads",
                   "dim": "hidden_size", "activation": "hidden_act"},
    "modernbert": {"layers.": "encoder.layer.", "final_norm.": "encoder.LayerNorm.", "attn.Wqkv": "attention.self.query_key_value",
                   "attn.Wo": "attention.output.dense", "attn_norm": "attention.output.LayerNorm", "mlp.Wi": "intermediate.dense",
                   "mlp.Wo": "output.dense", "mlp_norm": "output.LayerNorm", "embeddings.tok_embeddings": "embeddings.word_embeddings",
                   "embeddings.norm": "embeddings.LayerNorm", "hidden_activation": "hidden_act", "norm_eps": "layer_norm_eps"},
}
ACTIVATIONS = {"gelu": F.gelu, "gelu_new": lambda x: F.gelu(x, approximate="tanh"), "relu": F.relu, "tanh": torch.tanh}


def renamed(named, kind):
    """By BERT's names: parts of those of weights, whole ones of settings."""
    for theirs, berts in NAMES.get(kind, {}).items():
        named = {name.replace(theirs, berts) if "." in name or name == theirs else name: t for name, t in named.items()}
    return named


class Model:
    def __init__(self, folder):
        config = json.load(open(folder + "/config.json"))
        self.kind = config["model_type"]
        self.config = renamed(config, self.kind)
        self.first = 0 if self.kind in ("bert", "distilbert", "modernbert") else config["pad_token_id"] + 1
        self.activate = ACTIVATIONS[self.config["hidden_act"]]
        self.w = renamed(read(folder + "/model.safetensors"), self.kind) | read(folder + "/heads.safetensors")
        if os.path.exists(lens := folder + "/1_Lens/model.safetensors"):
            self.w |= read(lens)
        if os.path.exists(second := folder + "/1_Second/model.safetensors"):
            self.w |= {"quickthought.second." + name: t for name, t in renamed(read(second), self.kind).items()}
        for k, p in self.w.items():
            p.requires_grad_("running_" not in k)
        self.prefix = ""
        self.cut, self.own = None, ""  # the prefix of vectors, and what comes before names of its own

    def dense(self, x, name):
        if self.own and self.own + name + ".weight" in self.w:
            name = self.own + name
        return F.linear(x, self.w[self.prefix + name + ".weight"], self.w.get(self.prefix + name + ".bias"))

    def norm(self, x, name):
        return F.layer_norm(x, x.shape[-1:], self.w[self.prefix + name + ".weight"], self.w.get(self.prefix + name + ".bias"), self.config["layer_norm_eps"])

    def embed(self, ids, first=0, kinds=0):
        e, w = "embeddings.", lambda name: self.w[self.prefix + e + name + "_embeddings.weight"]
        x = w("word")[ids]
        if self.kind == "modernbert":
            return self.norm(x, e + "LayerNorm")
        x = x + w("position")[self.first + first :][: len(ids)]
        if self.kind not in ("distilbert", "mpnet"):
            x = x + w("token_type")[kinds]
        return self.norm(x, e + "LayerNorm")

    def bias(self, n):
        """What MPNet adds to scores by distance: 16 buckets a side, of which the first eight are of one distance."""
        if self.kind != "mpnet":
            return 0
        ends = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91]
        bucket = [[16 * (j > i) + sum(abs(j - i) >= end for end in ends) for j in range(n)] for i in range(n)]
        return self.w[self.prefix + "encoder.relative_attention_bias.weight"][torch.tensor(bucket)].permute(2, 0, 1)

    def gated(self, x, positions):
        """Those of ModernBERT (Warner et al. 2024): rotary positions as complex numbers, and windows."""
        c, n = self.config, len(x)
        heads, places = c["num_attention_heads"], torch.arange(n)
        positions = places if positions is None else positions
        for i in range(c["num_hidden_layers"]):
            p = f"encoder.layer.{i}."
            sees_all = i % c["global_attn_every_n_layers"] == 0
            theta = c["global_rope_theta" if sees_all else "local_rope_theta"]
            h = self.norm(x, p + "attention.output.LayerNorm") if i else x
            q, k, v = (t.view(n, heads, -1).transpose(0, 1) for t in self.dense(h, p + "attention.self.query_key_value").chunk(3, 1))
            half = q.shape[-1] // 2
            turns = torch.polar(torch.ones(n, half), positions[:, None] * theta ** (-torch.arange(half) / half))
            turned = lambda t: torch.view_as_real(torch.complex(t[..., :half], t[..., half:]) * turns).transpose(2, 3).flatten(2)
            scores = turned(q) @ turned(k).transpose(1, 2) / math.sqrt(q.shape[-1])
            if not sees_all:
                scores = scores.masked_fill((places[:, None] - places).abs() > c["local_attention"] // 2, -math.inf)
            x = x + self.dense((scores.softmax(-1) @ v).transpose(0, 1).reshape(n, -1), p + "attention.output.dense")
            values, gates = self.dense(self.norm(x, p + "output.LayerNorm"), p + "intermediate.dense").chunk(2, 1)
            x = x + self.dense(self.activate(values) * gates, p + "output.dense")
        return self.norm(x, "encoder.LayerNorm")

    def layers(self, x, positions=None):
        """One sequence at a time: no padding, no mask. Positions are those of ModernBERT's attention."""
        if self.kind == "modernbert":
            return self.gated(x, positions)
        n, heads = len(x), self.config["num_attention_heads"]
        for i in range(self.config["num_hidden_layers"]):
            p = f"encoder.layer.{i}."
            q, k, v = (self.dense(x, p + "attention.self." + s).view(n, heads, -1).transpose(0, 1) for s in ("query", "key", "value"))
            scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1]) + self.bias(n)
            o = (scores.softmax(-1) @ v).transpose(0, 1).reshape(n, -1)
            x = self.norm(self.dense(o, p + "attention.output.dense") + x, p + "attention.output.LayerNorm")
            x = self.norm(self.dense(self.activate(self.dense(x, p + "intermediate.dense")), p + "output.dense") + x, p + "output.LayerNorm")
        return x

    def sentence(self, ids, pooling):
        x = self.layers(self.embed(ids))
        return {"mean": x.mean(0), "max": x.max(0).values, "cls": x[0]}[pooling][: self.cut]

    def sentences(self, s, pooling):
        return torch.stack([self.sentence(ids, pooling) for ids in self.rows(s)])

    def predict(self, x):
        """Logits of a masked language model from the vectors of masked tokens."""
        first = self.w["cls.predictions.transform.dense.weight"]
        if x.shape[1] > first.shape[1]:  # with vectors beside the outputs
            first = torch.cat([first, self.w["cmlm.skip.weight"]], dim=1)
        x = F.linear(x, first, self.w.get("cls.predictions.transform.dense.bias"))
        activate = self.activate if self.kind in ("bert", "distilbert") else F.gelu
        x = self.norm(activate(x), "cls.predictions.transform.LayerNorm")
        return x @ self.w["embeddings.word_embeddings.weight"].T + self.w["cls.predictions.bias"]

    @staticmethod
    def rows(s):
        """Sequences without their padding."""
        return [s["IDs"][i * s["Length"] :][:n] for i, n in enumerate(s["Lengths"])]

    @staticmethod
    def places(positions, s):
        """Of each sequence, where its masks are."""
        return [[p - i * s["Length"] for p in positions if p // s["Length"] == i] for i in range(s["Count"])]


def decays(name):
    return not name.endswith("bias") and "Norm." not in name


def height(name, layers):
    """0 for the embeddings, 1 for the first layer, and that of the last for all beside the encoder."""
    if name.startswith("embeddings."):
        return 0
    return 1 + int(name.split(".")[2]) if name.startswith("encoder.layer.") else layers


class LAMB:
    """You et al. 2020, as in TensorFlow Addons."""

    def __init__(self, w, o):
        self.w, self.o, self.t = w, o, 0
        self.m = {k: torch.zeros_like(v) for k, v in w.items()}
        self.v = {k: torch.zeros_like(v) for k, v in w.items()}

    def step(self, rates):
        self.t += 1
        b1, b2 = self.o["beta1"], self.o["beta2"]
        with torch.no_grad():
            for k, p in self.w.items():
                if p.grad is None:
                    continue
                self.m[k] = b1 * self.m[k] + (1 - b1) * p.grad
                self.v[k] = b2 * self.v[k] + (1 - b2) * p.grad**2
                u = (self.m[k] / (1 - b1**self.t)) / ((self.v[k] / (1 - b2**self.t)).sqrt() + self.o["epsilon"])
                ratio = 1.0
                if decays(k):
                    u = u + self.o["decay"] * p
                    if p.norm() > 0 and u.norm() > 0:
                        ratio = (p.norm() / u.norm()).item()
                p -= rates[k] * ratio * u


def total(module, model, batch, o):
    """The loss, or its weighted sum over prefixes of vectors (Kusupati et al. 2022)."""
    if not o.get("dimensions"):
        return module.loss(model, batch, o)
    loss = 0
    for d, weight in zip(o["dimensions"], o.get("dimension_weights") or [1.0] * len(o["dimensions"])):
        model.cut, model.own = d, f"prefix_{d}."
        loss = loss + weight * module.loss(model, batch, o)
    model.cut, model.own = None, ""
    return loss


def run(folder):
    """Computes in float64, on the first of several draws of batches whose steps float32 can
    take: where a gradient is next to zero, it is rounding of which Adam and LAMB make a full
    step. What decides is PyTorch alone, which must also agree with itself in float32."""
    case = json.load(open(folder + "/case.json"))
    draws = len(case["sources"][0]["batches"]) // len(case["rates"])
    for draw in range(draws):
        found = []
        for dtype in (torch.float64, torch.float32):
            torch.set_default_dtype(dtype)
            model = Model(folder)
            if (figures := steps(model, case, draw)) is None:
                break
            found.append((model, figures))
        if len(found) == 2 and agree(*found):
            break
    else:
        sys.exit(f"{folder}: each of {draws} draws of batches has a gradient next to zero")
    model, (losses, norms) = found[0]
    json.dump({"losses": losses, "norms": norms, "draw": draw}, open(folder + "/result.json", "w"))
    with open(folder + "/result.bin", "wb") as out:
        for k in sorted(model.w):
            out.write(model.w[k].detach().numpy().tobytes())


def agree(double, single):
    """Whether the two differ by less than half of what the test allows."""
    (a, figures), (b, others) = double, single
    near = lambda x, y: abs(x - y) <= 4e-6 * max(1, abs(x))
    return all(near(x, y) for i in (0, 1) for x, y in zip(figures[i], others[i])) and all((a.w[k] - b.w[k]).abs().max() <= 4e-6 for k in a.w)


class Conditions:
    """Looks for elements that a step moves by more than their gradient tells: their mean square
    is next to zero beside the greatest one of their tensor, and not zero."""

    def __init__(self, o):
        self.o, self.t, self.v, self.most = o, 0, {}, {}

    def bad(self, named, rate):
        self.t += 1
        b2 = self.o["beta2"]
        for k, p in named:
            g = p.grad
            if self.o["name"] == "adam" and decays(k):
                g = g + self.o["decay"] * p.detach()
            self.v[k] = b2 * self.v.get(k, 0) + (1 - b2) * g**2
            self.most[k] = max(self.most.get(k, 0), g.abs().max().item())
            size = (self.v[k] / (1 - b2**self.t)).sqrt()
            if ((size > 0) & (size + self.o["epsilon"] < LEAST * rate * self.most[k])).any():
                return True
        return False


# At this share of the greatest gradient, times the rate, rounding moves an element by some 1e-6.
LEAST = 5e-4


def steps(model, case, draw):
    """Losses and norms of the steps on a draw; None if one has a gradient next to zero."""
    o = case["optimizer"]
    layers, decay = model.config["num_hidden_layers"], case["layer_decay"] or 1
    share = {k: decay ** (layers - height(k, layers)) for k in model.w}
    for k, p in model.w.items():
        if any(k.endswith(name) for name in case["held"]):
            share[k] = 0
        if any(k.startswith(part) for part in case["frozen"] or []):
            p.requires_grad_(False)
    if o["name"] != "lamb":
        groups = [{"params": [p], "weight_decay": o["decay"] if decays(k) else 0.0, "share": share[k]} for k, p in model.w.items()]
        kind = {"adamw": torch.optim.AdamW, "adam": torch.optim.Adam}[o["name"]]
        adam = kind(groups, lr=1, betas=(o["beta1"], o["beta2"]), eps=o["epsilon"])
    else:
        lamb = LAMB(model.w, o)
    modules = {source["objective"]: importlib.import_module(source["objective"]) for source in case["sources"]}
    for name, module in modules.items():
        if hasattr(module, "begin"):
            module.begin(model, case["objectives"][name])
    losses, norms, conditions = [], [], Conditions(o)
    for step, rate in enumerate(case["rates"]):
        for source in case["sources"]:
            batch = source["batches"][draw * len(case["rates"]) + step]
            name = source["objective"]
            loss = total(modules[name], model, batch, case["objectives"][name])
            (source["weight"] * loss).backward()
            losses.append(loss.item())
        named = [(k, p) for k, p in model.w.items() if p.grad is not None]
        norms.append(torch.nn.utils.clip_grad_norm_([p for _, p in named], o["clip"]).item())
        if conditions.bad([(k, p) for k, p in named if share[k]], rate):
            return None
        if o["name"] != "lamb":
            for group in adam.param_groups:
                group["lr"] = rate * group["share"]
            adam.step()
        else:
            lamb.step({k: rate * share[k] for k in model.w})
        for p in model.w.values():
            p.grad = None
        for name, module in modules.items():
            if hasattr(module, "after"):
                module.after(model, case["objectives"][name])
    return losses, norms


for folder in sys.argv[1:]:
    run(folder)
