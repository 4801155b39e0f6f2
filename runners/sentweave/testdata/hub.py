"""Prints what Hugging Face's datasets loads of a folder: configuration, split, rows, label and score of each row.

Usage: hub.py FOLDER CONFIGURATION,...
"""
import json
import sys

import datasets

for name in sys.argv[2].split(","):
    loaded = datasets.load_dataset(sys.argv[1], name)
    for split in loaded:
        for row in loaded[split]:
            print(json.dumps([name, split, row["id"], row["text_a"], row.get("text_b") or "", row.get("label") or "", row.get("target"), row["skip"]]))
