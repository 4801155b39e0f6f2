"""Runs Hugging Face tokenizers beside ours.

    peer.py FILE spans|speed

FILE is a tokenizer.json. Its special tokens are taken out, so that those within texts are text as in ours.
Standard input holds one JSON string a line. "spans" writes the ids of each text on a line, each with the
bytes of the text that it stands for; "speed" writes two figures, bytes per second of encode text by text
and of one encode_batch, on one thread.
"""
import json
import os
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

from tokenizers import Tokenizer

sys.stdin.reconfigure(encoding="utf-8", newline="\n")
sys.stdout.reconfigure(encoding="utf-8", newline="\n")
path, mode = sys.argv[1:]
with open(path, encoding="utf-8") as f:
    content = json.load(f)
special = {t["content"] for t in content["added_tokens"]}
content["added_tokens"], content["post_processor"], content["truncation"], content["padding"] = [], None, None, None
for piece in content["model"]["vocab"]:
    if piece[0] in special:
        piece[0] = "\U000F0000" + piece[0]
tokenizer = Tokenizer.from_str(json.dumps(content))
texts = [json.loads(line) for line in sys.stdin]

if mode == "spans":
    for text in texts:
        ends = [0]
        for c in text:
            ends.append(ends[-1] + len(c.encode()))
        e = tokenizer.encode(text)
        print(" ".join(f"{i}:{ends[a]}-{ends[b]}" for i, (a, b) in zip(e.ids, e.offsets)))
else:
    size = sum(len(text.encode()) for text in texts)

    def timed(run):
        start = time.perf_counter()
        run()
        return size / (time.perf_counter() - start)

    def one_by_one():
        for text in texts:
            tokenizer.encode(text)

    print(max(timed(one_by_one) for _ in range(2)), timed(lambda: tokenizer.encode_batch(texts)))
