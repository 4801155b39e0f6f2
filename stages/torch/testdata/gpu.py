"""The peers of BenchmarkGPU: gpu.py FOLDER WAY: for each line that comes in, one training step of CMLM on the batch of
FOLDER/case.json from the weights there, with the configuration's dropout, on CUDA in bfloat16; answers with its seconds, by the
clock and of CPU, and its loss. The ways are those in which one would write it in PyTorch: padded (scaled dot-product attention with a mask,
torch.autocast), packed (one list of tokens through variable-length flash attention, a copy of the weights in bfloat16 each
step), and compiled (packed, through torch.compile). PyTorch is free to add in any order in all of them."""

import json
import math
import struct
import sys
import time

import torch
import torch.nn.functional as F

folder, way = sys.argv[1:3]
torch.set_default_device("cuda")
config = json.load(open(folder + "/config.json"))
hidden, heads, eps, p = config["hidden_size"], config["num_attention_heads"], config["layer_norm_eps"], config["hidden_dropout_prob"]


def read(path):
    data = open(path, "rb").read()
    (n,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, t in json.loads(data[8 : 8 + n]).items():
        if name != "__metadata__":
            a, b = t["data_offsets"]
            tensors[name] = torch.frombuffer(bytearray(data[8 + n + a : 8 + n + b]), dtype=torch.float32).reshape(t["shape"]).to("cuda", copy=True)
    return tensors


master = read(folder + "/model.safetensors") | read(folder + "/heads.safetensors")
case = json.load(open(folder + "/case.json"))
batch, o, vectors = case["batch"], case["optimizer"], case["vectors"]
packs = way != "padded"
for x in master.values():
    x.requires_grad_(True)
w = {k: x.detach().to(torch.bfloat16).requires_grad_(True) for k, x in master.items()} if packs else master


def dense(w, x, name):
    return F.linear(x, w[name + ".weight"], w[name + ".bias"])


def norm(w, x, name):
    return F.layer_norm(x, (hidden,), w[name + ".weight"], w[name + ".bias"], eps)


def layers(w, x, side):
    for i in range(config["num_hidden_layers"]):
        q, k, v = (dense(w, x, f"encoder.layer.{i}.attention.self." + s) for s in ("query", "key", "value"))
        if packs:
            split = lambda t: t.view(-1, heads, hidden // heads)
            y = torch.ops.aten._flash_attention_forward(split(q), split(k), split(v), side["ends"], side["ends"], side["most"], side["most"], p, False, False)[0].reshape(-1, hidden)
        else:
            n, length = x.shape[:2]
            split = lambda t: t.view(n, length, heads, -1).transpose(1, 2)
            y = F.scaled_dot_product_attention(split(q), split(k), split(v), attn_mask=side["mask"], dropout_p=p).transpose(1, 2).reshape(n, length, hidden)
        x = norm(w, F.dropout(dense(w, y, f"encoder.layer.{i}.attention.output.dense"), p) + x, f"encoder.layer.{i}.attention.output.LayerNorm")
        y = dense(w, F.gelu(dense(w, x, f"encoder.layer.{i}.intermediate.dense")), f"encoder.layer.{i}.output.dense")
        x = norm(w, F.dropout(y, p) + x, f"encoder.layer.{i}.output.LayerNorm")
    return x


def side(s, prefix):
    lengths, width = s["Lengths"], s["Length"]
    rows = [s["IDs"][i * width :][:n] for i, n in enumerate(lengths)]
    d = {"count": len(rows), "lengths": torch.tensor(lengths)}
    if packs:
        d["ids"] = torch.tensor([x for r in rows for x in r])
        d["positions"] = torch.cat([torch.arange(n) for n in lengths])
        d["ends"] = torch.tensor([0] + [n + prefix for n in lengths]).cumsum(0).to(torch.int32)
        d["most"] = max(lengths) + prefix
        d["sequence"] = torch.repeat_interleave(torch.arange(len(rows)), d["lengths"])
        order, token = [], 0
        for i, n in enumerate(lengths):  # the prefix comes before its sentence
            order += [i * prefix + j for j in range(prefix)] + [len(rows) * prefix + token + j for j in range(n)]
            token += n
        d["order"] = torch.tensor(order)
    else:
        d["ids"] = torch.tensor([r + [0] * (width - len(r)) for r in rows])
        real = torch.arange(width) < d["lengths"][:, None]
        d["real"], d["mask"] = real.float()[:, :, None], None
        if min(lengths) < width:
            d["mask"] = F.pad(torch.where(real, 0.0, -math.inf), (prefix, 0))[:, None, None, :].to(torch.bfloat16)
    return d


def embed(w, s):
    e = "embeddings."
    positions = w[e + "position_embeddings.weight"]
    at = positions[s["positions"]] if packs else positions[: s["ids"].shape[1]]
    return F.dropout(norm(w, F.embedding(s["ids"], w[e + "word_embeddings.weight"]) + at + w[e + "token_type_embeddings.weight"][0], e + "LayerNorm"), p)


def loss(w, a, b, at, targets):
    x = layers(w, embed(w, a), a)
    if packs:
        sums = torch.zeros(a["count"], hidden).index_add(0, a["sequence"], x.float())
        v = (sums / a["lengths"][:, None]).to(x.dtype)
    else:
        v = (x * a["real"]).sum(1) / a["lengths"][:, None]
    h = dense(w, F.relu(dense(w, F.relu(dense(w, v, "cmlm.projection.0")), "cmlm.projection.1")), "cmlm.projection.2")
    prefix = torch.cat([v[:, None], h.view(len(v), vectors - 1, hidden)], 1)
    if packs:
        x = layers(w, torch.cat([prefix.reshape(-1, hidden), embed(w, b)])[b["order"]], b)[at]
    else:
        x = layers(w, torch.cat([prefix, embed(w, b)], 1), b).reshape(-1, hidden)[at]
    x = norm(w, F.gelu(dense(w, x, "cls.predictions.transform.dense")), "cls.predictions.transform.LayerNorm")
    return F.cross_entropy(F.linear(x, w["embeddings.word_embeddings.weight"], w["cls.predictions.bias"]).float(), targets)


a, b = side(batch["A"], 0), side(batch["B"], vectors)
width = batch["B"]["Length"]
starts = [0]
for n in batch["B"]["Lengths"]:
    starts.append(starts[-1] + (n if packs else width) + vectors)
at, targets = torch.tensor([starts[x // width] + vectors + x % width for x in batch["Positions"]]), torch.tensor(batch["Targets"])
decays = lambda name: not name.endswith("bias") and "Norm." not in name
groups = [{"params": [x for k, x in master.items() if decays(k) == d], "weight_decay": o["decay"] if d else 0.0} for d in (True, False)]
optimizer = torch.optim.AdamW(groups, lr=case["rate"], betas=(o["beta1"], o["beta2"]), eps=o["epsilon"], fused=True)
run = torch.compile(loss) if way == "compiled" else loss

for _ in sys.stdin:
    start = time.perf_counter(), time.process_time()
    if packs:
        with torch.no_grad():
            torch._foreach_copy_(list(w.values()), list(master.values()))
    with torch.autocast("cuda", torch.bfloat16, enabled=not packs):
        y = run(w, a, b, at, targets)
    y.backward()
    if packs:
        for k, x in w.items():
            if x.grad is not None:
                master[k].grad = x.grad.float()
                x.grad = None
    torch.nn.utils.clip_grad_norm_([x for x in master.values() if x.grad is not None], o["clip"])
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    y = y.item()
    torch.cuda.synchronize()
    print(json.dumps([time.perf_counter() - start[0], time.process_time() - start[1], y]), flush=True)
print(f"{torch.cuda.max_memory_allocated() / 2**30:.1f} GB by the way {way}", file=sys.stderr)
