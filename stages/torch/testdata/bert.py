"""The vectors of texts by an independent restatement of BERT in PyTorch, on the
weights of a folder and Hugging Face's tokenizer where it is installed:
bert.py FOLDER POOLING LAYER NORMALIZE TEXT... prints float32."""

import json
import struct
import sys

import torch
import torch.nn.functional as F

folder, pooling, layer, normalize = sys.argv[1:5]
config = json.load(open(folder + "/config.json"))


def read(path):
    data = open(path, "rb").read()
    (n,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, t in json.loads(data[8 : 8 + n]).items():
        if name != "__metadata__" and t["dtype"] == "F32":
            a, b = t["data_offsets"]
            tensors[name] = torch.frombuffer(bytearray(data[8 + n + a : 8 + n + b]), dtype=torch.float32).reshape(t["shape"])
    return tensors


w = read(folder + "/model.safetensors")
vocabulary = {line.rstrip("\n"): i for i, line in enumerate(open(folder + "/vocab.txt", encoding="utf-8"))}


def dense(x, name):
    return F.linear(x, w[name + ".weight"], w[name + ".bias"])


def norm(x, name):
    return F.layer_norm(x, x.shape[-1:], w[name + ".weight"], w[name + ".bias"], config["layer_norm_eps"])


def encode(ids):
    """One sentence at a time: no padding, no mask."""
    n, heads = len(ids), config["num_attention_heads"]
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:n] + w["embeddings.token_type_embeddings.weight"][0]
    x = norm(x, "embeddings.LayerNorm")
    for i in range(int(layer)):
        p = f"encoder.layer.{i}."
        q, k, v = (dense(x, p + "attention.self." + s).view(n, heads, -1).transpose(0, 1) for s in ("query", "key", "value"))
        scores = (q @ k.transpose(1, 2)) / (q.shape[-1] ** 0.5)
        o = (scores.softmax(-1) @ v).transpose(0, 1).reshape(n, -1)
        x = norm(dense(o, p + "attention.output.dense") + x, p + "attention.output.LayerNorm")
        h = dense(F.gelu(dense(x, p + "intermediate.dense")), p + "output.dense")
        x = norm(h + x, p + "output.LayerNorm")
    x = {"mean": x.mean(0), "max": x.max(0).values, "cls": x[0]}[pooling]
    return F.normalize(x, dim=0) if normalize == "true" else x


def tokenize(text):
    from tokenizers import Tokenizer

    t = Tokenizer.from_file(folder + "/tokenizer.json")
    t.no_padding()
    return t.encode(text).ids


with torch.no_grad():
    for text in sys.argv[5:]:
        sys.stdout.buffer.write(encode(tokenize(text)).numpy().tobytes())
