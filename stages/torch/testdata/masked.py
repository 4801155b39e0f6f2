"""The peer of MaskedLM: BertForMaskedLM of transformers.

masked.py predict FOLDER[=KIND] …: reads {"sequences": [[id, …], …], "masks":
[[position, …], …]} and writes the logits of all masks, float32, one after another,
of the model in each folder. Where FOLDER/heads.safetensors is, that is the one of
both files together, as `sentweave train` leaves them. With a kind, a small random
model is saved there first: its matrices "tied" or "untied", as "pretraining" (which
has another head, too), or with the old names of LayerNorm's parameters ("gamma").
masked.py bench FOLDER THREADS: for each line, a file
of the like with batches of sequences, the seconds by the clock and of CPU for the
likeliest piece of each mask."""

import json
import os
import sys
import time

import torch
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertForMaskedLM, BertForPreTraining, logging

logging.set_verbosity_error()
logging.disable_progress_bar()
mode = sys.argv[1]


def make(folder, kind):
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=300, hidden_size=64, num_hidden_layers=3, num_attention_heads=4, intermediate_size=128,
        max_position_embeddings=40, initializer_range=0.3, tie_word_embeddings=kind != "untied",
    )
    model = (BertForPreTraining if kind == "pretraining" else BertForMaskedLM)(config)
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() == 1:
                p.add_(torch.randn_like(p) * 0.2)
    model.save_pretrained(folder)
    if kind == "gamma":
        path = folder + "/model.safetensors"
        old = lambda name: name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
        save_file({old(name): t for name, t in load_file(path).items()}, path, {"format": "pt"})


def load(folder):
    heads = folder + "/heads.safetensors"
    if not os.path.exists(heads):
        # transformers 5 does not read the old names any more: it would draw LayerNorms.
        state = load_file(folder + "/model.safetensors")
        new = lambda name: name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")
        if any(new(name) != name for name in state):
            return BertForMaskedLM.from_pretrained(None, config=BertConfig.from_pretrained(folder), state_dict={new(n): t for n, t in state.items()})
        return BertForMaskedLM.from_pretrained(folder)
    state = {"bert." + name: t for name, t in load_file(folder + "/model.safetensors").items()}
    state |= {name: t for name, t in load_file(heads).items() if name.startswith("cls.")}
    state["cls.predictions.decoder.weight"] = state["bert.embeddings.word_embeddings.weight"]
    state["cls.predictions.decoder.bias"] = state["cls.predictions.bias"]
    model = BertForMaskedLM(BertConfig.from_pretrained(folder))
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected and all(name.endswith("position_ids") for name in missing), (missing, unexpected)
    return model


def padded(sequences):
    longest = max(map(len, sequences))
    ids = torch.tensor([s + [0] * (longest - len(s)) for s in sequences])
    return ids, (torch.arange(longest) < torch.tensor([len(s) for s in sequences])[:, None]).long()


def at(logits, masks):
    rows = torch.tensor([i for i, list in enumerate(masks) for _ in list])
    return logits[rows, torch.tensor([p for list in masks for p in list])]


torch.set_grad_enabled(False)
if mode == "predict":
    given = json.load(sys.stdin)
    ids, mask = padded(given["sequences"])
    for folder in sys.argv[2:]:
        folder, _, kind = folder.partition("=")
        if kind:
            make(folder, kind)
        model = load(folder).eval()
        sys.stdout.buffer.write(at(model(ids, attention_mask=mask).logits, given["masks"]).numpy().tobytes())
    sys.exit()
model = load(sys.argv[2]).eval()
torch.set_num_threads(int(sys.argv[3]))
for line in sys.stdin:
    batches = json.load(open(line.strip()))
    start, spent, total = time.perf_counter(), time.process_time(), 0
    for b in batches:
        ids, mask = padded(b["sequences"])
        logits = at(model(ids, attention_mask=mask).logits, b["masks"])
        total += int(logits.topk(3).indices[:, 0].sum())
    print(json.dumps([time.perf_counter() - start, time.process_time() - spent, total]), flush=True)
