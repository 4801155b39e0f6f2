"""Runs Hugging Face tokenizers beside ours.

    peer.py VOCABULARY LOWERCASE STRIP_ACCENTS CLEAN IDEOGRAPHS ids|words|speed|nanotoken

The four settings are 0 or 1. Standard input holds one JSON string a line.
"ids" writes the ids of each text on a line; "words" writes the words before they
are split into pieces, separated by spaces; "speed" writes two figures, bytes per
second of encode text by text and of one encode_batch, on one thread. "nanotoken"
writes those of CPU time of nanotoken without what it keeps of earlier texts, and with it.
"""
import json
import os
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

sys.stdin.reconfigure(encoding="utf-8", newline="\n")
sys.stdout.reconfigure(encoding="utf-8", newline="\n")
path, lowercase, strip, clean, ideographs, mode = sys.argv[1:]
with open(path, encoding="utf-8", newline="\n") as f:
    vocabulary = {line.rstrip("\r\n"): i for i, line in enumerate(f)}
tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
tokenizer.normalizer = normalizers.BertNormalizer(
    lowercase=lowercase == "1", strip_accents=strip == "1", clean_text=clean == "1", handle_chinese_chars=ideographs == "1"
)
tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()

if mode == "ids":
    for line in sys.stdin:
        print(" ".join(map(str, tokenizer.encode(json.loads(line)).ids)))
elif mode == "words":
    for line in sys.stdin:
        text = tokenizer.normalizer.normalize_str(json.loads(line))
        print(" ".join(word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(text)))
else:
    texts = [json.loads(line) for line in sys.stdin]
    size = sum(len(text.encode()) for text in texts)

    def timed(run, clock=time.perf_counter):
        start = clock()
        run()
        return size / (clock() - start)

    def one_by_one():
        for text in texts:
            tokenizer.encode(text)

    if mode == "speed":
        print(max(timed(one_by_one) for _ in range(2)), timed(lambda: tokenizer.encode_batch(texts)))
        sys.exit()
    import nanotoken

    nano = nanotoken.Tokenizer.from_vocab(path, lowercase=lowercase == "1")
    figures = []
    for _ in range(5):
        nano.clear_cache()
        figures.append([timed(lambda: nano.encode_batch(texts, parallel=False), time.process_time) for _ in range(2)])
    print(*(max(side) for side in zip(*figures)))
