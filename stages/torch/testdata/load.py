"""The vectors of texts by sentence-transformers and by transformers, from folders
that they load as they stand: {"folders": […], "texts": […]} comes in, one object a
folder goes out. Exits with 3 where one of the two is not installed."""

import json
import os
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
try:
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer, BertTokenizer
except ModuleNotFoundError as e:
    print(e, file=sys.stderr)
    sys.exit(3)

request = json.load(sys.stdin)
answers = []
for folder in request["folders"]:
    if os.path.exists(folder + "/vocab.txt") and json.load(open(folder + "/config.json"))["model_type"] == "modernbert":
        BertTokenizer.from_pretrained(folder).save_pretrained(folder)  # transformers opens no others than tokenizer.json
    st = SentenceTransformer(folder, device="cpu")
    vectors = st.encode(request["texts"], batch_size=3)
    model, info = AutoModel.from_pretrained(folder, output_loading_info=True)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    ids = [tokenizer(text, truncation=True)["input_ids"] for text in request["texts"]]
    with torch.no_grad():
        outputs = [model.eval()(torch.tensor([i]), output_hidden_states=True) for i in ids]
    tokens = [o.last_hidden_state[0].mean(0).tolist() for o in outputs]
    again = ""
    if model.num_parameters() < 1e6:  # of a test: others are as their authors saved them
        again = folder + "-again"
        AutoModelForMaskedLM.from_pretrained(folder).save_pretrained(again)
        tokenizer.save_pretrained(again)
    answers.append(
        {
            "vectors": [v.tolist() for v in vectors],
            "means": tokens,
            "again": again,
            "states": [torch.cat(layer, 1).flatten().tolist() for layer in zip(*(o.hidden_states for o in outputs))],
            "ids": ids,
            "missing": sorted(k for k in info["missing_keys"] if not k.startswith("pooler.")),
            "pooler": any(name.endswith("pooler.dense.weight") for name, _ in st.named_parameters()),
            "unexpected": sorted(info["unexpected_keys"]),
        }
    )
json.dump(answers, sys.stdout)
