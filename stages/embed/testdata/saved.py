"""Saves a model by sentence-transformers in several forms and encodes texts by each.

    saved.py MODEL [FOLDER]

Standard input is a JSON list of texts. For each form the model is set, saved in
FOLDER/NAME and asked for the vectors, which are printed by name. Without FOLDER
they are those of the model as it is, with the name of none.
Exits with 3 where sentence-transformers is not installed.
"""

import json
import os
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
try:
    import torch
    from safetensors.torch import load_file
    from sentence_transformers import SentenceTransformer
except ModuleNotFoundError as e:
    print(e, file=sys.stderr)
    sys.exit(3)

texts = json.load(sys.stdin)
forms = {
    "plain": {},
    "prompt": {"default": "query"},
    "prompt left out, mean": {"default": "query", "pooling": "mean", "include": False},
    "prompt left out, max": {"default": "query", "pooling": "max", "include": False},
    "prompt left out, cls": {"default": "query", "pooling": "cls", "include": False},
    "chosen": {"name": "passage", "include": False},
    "no default": {"include": False},
    "short": {"default": "long", "tokens": 16, "include": False},
    "lowered length": {"tokens": 12},
    "several poolings": {"pooling": ["mean", "cls", "lasttoken"], "below": True},
    "all poolings, prompt left out": {"default": "query", "include": False,
                                      "pooling": ["weightedmean", "mean_sqrt_len_tokens", "max", "lasttoken"]},
    "mean of the root": {"pooling": "mean_sqrt_len_tokens"},
    "parts": {"parts": True},
    "parts below": {"parts": True, "below": True},
    "of torch": {"torch": 1, "below": True},
    "parts of torch": {"torch": 2},
}
answers = {}
model = SentenceTransformer(sys.argv[1], device="cpu")
usual = model.max_seq_length
if len(sys.argv) < 3:
    answers[""] = {"vectors": [v.tolist() for v in model.encode(texts, batch_size=4)]}
    forms = {}
for name, form in forms.items():
    model.prompts = {"query": "query: ", "passage": "Represent the passage for retrieval:", "long": "one two three four five six seven: "}
    model.default_prompt_name = form.get("default")
    model[1].pooling_mode = form.get("pooling", "mean")
    model[1].include_prompt = form.get("include", True)
    model.max_seq_length = form.get("tokens", usual)
    path = f"{sys.argv[2]}/{name}"
    model.save(path)
    if form.get("parts"):
        os.remove(path + "/model.safetensors")
        model[0].auto_model.save_pretrained(path, max_shard_size="20MB")
    if form.get("torch"):
        saved = list(load_file(path + "/model.safetensors").items())
        os.remove(path + "/model.safetensors")
        if form["torch"] == 1:
            torch.save(dict(saved), path + "/pytorch_model.bin")
        else:
            parts = {f"pytorch_model-0000{i + 1}-of-00002.bin": saved[i::2] for i in range(2)}
            for file, part in parts.items():
                torch.save(dict(part), f"{path}/{file}")
            with open(path + "/pytorch_model.bin.index.json", "w") as f:
                json.dump({"weight_map": {name: file for file, part in parts.items() for name, _ in part}}, f)
    if form.get("below"):  # as old versions have it
        modules = json.load(open(path + "/modules.json"))
        modules[0]["path"] = "0_Transformer"
        json.dump(modules, open(path + "/modules.json", "w"))
        os.mkdir(path + "/0_Transformer")
        for file in os.listdir(path):
            if os.path.isfile(path + "/" + file) and file not in ("modules.json", "config_sentence_transformers.json"):
                os.rename(path + "/" + file, path + "/0_Transformer/" + file)
    vectors = model.encode(texts, batch_size=4, prompt_name=form.get("name"))
    answers[name] = {"vectors": [v.tolist() for v in vectors], "prompt": form.get("name", "")}
json.dump(answers, sys.stdout)
