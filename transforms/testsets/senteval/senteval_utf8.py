"""Lets SentEval read this folder, whose files are UTF-8.

SentEval opens the files of MR, CR, SUBJ, MPQA, TREC and SNLI as Latin-1, and so
cuts rows at bytes that are parts of letters. Import this module before a task is
made, with this folder and SentEval's on sys.path:

    import senteval_utf8
    import senteval
    se = senteval.engine.SE({"task_path": ...}, batcher, prepare)

Nothing else of SentEval is changed. A line that is not UTF-8, as English files have
some, is read as Windows-1252, the encoding of the originals. That differs from
SentEval's Latin-1 in the bytes 80 to 9F alone: 85 is an ellipsis here, and there the
end of a line, at which SentEval cuts rows of MR and SUBJ in two.
"""
import codecs
import io
import types

import senteval.binary
import senteval.snli
import senteval.trec


def _decode(line):
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


def _open(path, mode="r", encoding=None):
    if encoding != "latin-1":
        return io.open(path, mode, encoding=encoding)
    with io.open(path, "rb") as f:
        return io.StringIO("\n".join(map(_decode, f.read().split(b"\n"))), newline=None)


def _codecs_open(path, mode="r", encoding=None):
    return _open(path, encoding=encoding) if encoding == "latin-1" else codecs.open(path, mode, encoding)


senteval.binary.io = types.SimpleNamespace(open=_open)
senteval.trec.io = types.SimpleNamespace(open=_open)
senteval.snli.codecs = types.SimpleNamespace(open=_codecs_open)
