"""Compares texts by the package bert-score.

    bertscore.py MODEL

Standard input is {"settings": [{"layer": …, "idf": …}], "candidates": […], "references": […]}; the answer has, for each
of the settings, a list of precision, recall and F1 for each pair. What the package plots with is left out where it is not installed.
Exits with 3 where bert-score is not installed.
"""

import importlib.machinery
import json
import os
import sys
import types

os.environ["HF_HUB_OFFLINE"] = "1"
for name in ["matplotlib", "matplotlib.pyplot", "mpl_toolkits", "mpl_toolkits.axes_grid1", "pandas"]:
    try:
        __import__(name)
    except ImportError:
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__spec__ = importlib.machinery.ModuleSpec(name, None)
        sys.modules[name].make_axes_locatable = None
try:
    from bert_score import BERTScorer
except ModuleNotFoundError as e:
    print(f"{e}; `pip install --no-deps --target DIR bert-score`, with DIR in PYTHONPATH, brings it", file=sys.stderr)
    sys.exit(3)

given = json.load(sys.stdin)
answers = []
for settings in given["settings"]:
    scorer = BERTScorer(
        model_type=sys.argv[1], num_layers=settings["layer"], device="cpu", nthreads=1, batch_size=1,  # no padding
        idf=settings["idf"], idf_sents=given["references"],
    )
    scores = scorer.score(given["candidates"], given["references"])
    answers.append([list(map(float, s)) for s in zip(*scores)])
json.dump(answers, sys.stdout)
