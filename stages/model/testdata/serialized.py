"""Writes tokenizers of WordPiece as Hugging Face's library tokenizers serializes them.

    serialized.py FOLDER

Standard input is a JSON list of texts. For each variant a file FOLDER/NAME.json is
written, and an object is printed: by name, the ids of the texts. The vocabulary are
the characters of the texts in several normal forms, alone and within words.
"""
import json
import sys
import unicodedata

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

texts = json.load(sys.stdin)
characters = set()
for text in texts:
    for form in (text, text.lower(), text.upper(), unicodedata.normalize("NFD", text), unicodedata.normalize("NFD", text.lower())):
        characters.update(form)
characters = sorted(c for c in characters if c not in "\r\n")
special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
pieces = special + characters + ["##" + c for c in characters]
bert = normalizers.BertNormalizer


def variant(normalizer, longest=100, post="template"):
    t = Tokenizer(models.WordPiece({p: i for i, p in enumerate(pieces)}, unk_token="[UNK]", max_input_chars_per_word=longest))
    t.normalizer = normalizer
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.post_processor = (
        processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
        if post == "bert"
        else processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    )
    return t


variants = {
    "uncased": variant(bert(lowercase=True)),
    "cased": variant(bert(lowercase=False), post="bert"),
    "lowercase, accents kept": variant(bert(lowercase=True, strip_accents=False)),
    "cased, accents stripped": variant(bert(lowercase=False, strip_accents=True)),
    "not cleaned": variant(bert(lowercase=True, clean_text=False)),
    "ideographs joined": variant(bert(lowercase=True, handle_chinese_chars=False)),
    "short words": variant(bert(lowercase=True), longest=7),
    "lowered before": variant(normalizers.Sequence([normalizers.Lowercase(), bert(lowercase=False)])),
    "one in a list": variant(normalizers.Sequence([bert(lowercase=True)])),
}
answers = {}
for name, t in variants.items():
    t.save(f"{sys.argv[1]}/{name}.json")
    answers[name] = [e.ids for e in t.encode_batch(texts)]
json.dump(answers, sys.stdout)
