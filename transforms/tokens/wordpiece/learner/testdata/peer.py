"""Learns a vocabulary with TensorFlow Text's own learner, as the other side of
the test. Argument: the path of its wordpiece_tokenizer_learner_lib.py. Reads
{"words": [{"Text", "Count"}], "size", "reserved"}, writes one piece a line."""
import importlib.util
import json
import sys

spec = importlib.util.spec_from_file_location("learner", sys.argv[1])
lib = importlib.util.module_from_spec(spec)
sys.modules["learner"] = lib
spec.loader.exec_module(lib)

request = json.load(sys.stdin)
words = [(w["Text"], w["Count"]) for w in request["words"]]
pieces = lib.learn(words, vocab_size=request["size"], reserved_tokens=request["reserved"], lower_thresh=2,
                   max_input_tokens=-1, max_unique_chars=6000)
print("\n".join(pieces))
