"""Trains SentencePiece beside ours.

Standard input is {"words": [[word, count]], "size": …, "seeds": [[piece, count]] or null}. Writes a JSON list of pieces and scores, without
the special ones.
"""
import io
import json
import os
import sys
import tempfile

import sentencepiece

job = json.load(sys.stdin)
options = dict(model_type="unigram", normalization_rule_name="identity", num_threads=1, minloglevel=2, character_coverage=1.0)
with tempfile.TemporaryDirectory() as folder:

    def table(name, rows):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8", newline="\n") as f:
            f.writelines(f"{text}\t{count}\n" for text, count in rows)
        return path

    if job["seeds"]:
        options["seed_sentencepieces_file"] = table("seeds", job["seeds"])
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        input=table("words", job["words"]), input_format="tsv", model_writer=model, vocab_size=job["size"], **options)
processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
json.dump([(processor.id_to_piece(i), processor.get_score(i)) for i in range(3, processor.get_piece_size())], sys.stdout)
