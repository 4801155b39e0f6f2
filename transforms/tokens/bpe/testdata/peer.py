"""Runs Hugging Face tokenizers beside ours.

    peer.py FILE train|modern|ids|speed

Standard input holds one JSON string a line. "train" learns a byte-level BPE from them and writes its
tokenizer.json to FILE; "modern" makes FILE one as ModernBERT has; "ids" writes the ids of each text on a line, with
special tokens within texts as text;
"speed" writes bytes per second of encode text by text and of one encode_batch, on one thread.
"""
import json
import os
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

sys.stdin.reconfigure(encoding="utf-8", newline="\n")
sys.stdout.reconfigure(encoding="utf-8", newline="\n")
path, mode = sys.argv[1:]
texts = [json.loads(line) for line in sys.stdin]
if mode == "train":
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=8000, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    tokenizer.save(path)
    sys.exit()
tokenizer = Tokenizer.from_file(path)
if mode == "modern":
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.add_tokens([AddedToken(" " * n, normalized=True) for n in range(24, 1, -1)])
    tokenizer.add_tokens([AddedToken(t, normalized=n) for t, n in (("|||IP|||", True), ("[unused0]", False), ("é]", True), ("x]y", True), ("]yz", False),
                                                                           ("e\u0301[", True), ("e\u0301{", False))])
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]", [("[CLS]", 0), ("[SEP]", 2)])
    tokenizer.save(path)
    sys.exit()
tokenizer.encode_special_tokens = True
if mode == "ids":
    for text in texts:
        print(" ".join(map(str, tokenizer.encode(text, add_special_tokens=False).ids)))
else:
    size = sum(len(text.encode()) for text in texts)

    def timed(run):
        start = time.perf_counter()
        run()
        return size / (time.perf_counter() - start)

    print(max(timed(lambda: [tokenizer.encode(text) for text in texts]) for _ in range(2)), timed(lambda: tokenizer.encode_batch(texts)))
