"""Runs SentencePiece beside ours.

    sentencepiece.py MODEL OPTIONS

Standard input holds one JSON string a line. A model is trained on them with the options, a JSON object, and written to MODEL. The ids
of each text are printed on a line, as XLM-R's tokenizer of transformers shifts them.
"""
import json
import os
import sys

sys.path.pop(0)  # this file has the module's name
try:
    import sentencepiece
except ImportError as e:
    print(e, file=sys.stderr)
    sys.exit(3)

texts = [json.loads(line) for line in open(0, encoding="utf-8", newline="\n")]
path = sys.argv[1]
options = {"vocab_size": 3000, "character_coverage": 0.995, "num_threads": 2, "minloglevel": 2, "hard_vocab_limit": False}
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(texts[: len(texts) // 2]), model_prefix=os.path.splitext(path)[0], **(options | json.loads(sys.argv[2]))
)
model = sentencepiece.SentencePieceProcessor(model_file=path)
for text in texts:
    print(" ".join(str(i + 1 if i else 3) for i in model.encode(text)))
