"""Prints what SentEval's own loaders read: task, split, label or score, texts, between tabs.

Usage: loaders.py SENTEVAL FOLDER TASK,... plain|shim|unescape

Only the loaders run, so modules that they import and do not use are left empty.
"""
import html
import json
import sys
import types

senteval_folder, folder, tasks, how = sys.argv[1:5]


class Empty(types.ModuleType):
    __path__, __version__ = [], "9"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.split(".")[0] in ("torch", "sklearn", "scipy"):
            from importlib.machinery import ModuleSpec
            return ModuleSpec(name, Finder, is_package=True)

    @staticmethod
    def create_module(spec):
        return Empty(spec.name)

    @staticmethod
    def exec_module(module):
        pass


sys.meta_path.insert(0, Finder)
sys.path[:0] = [senteval_folder, folder]
sys.stdout.reconfigure(encoding="utf-8", errors="surrogatepass")
if how == "shim":
    import senteval_utf8
import senteval.binary
import senteval.mrpc
import senteval.sick
import senteval.snli
import senteval.sst
import senteval.sts
import senteval.trec


def show(task, split, label, *sentences):
    texts = [" ".join(html.unescape(w) if how == "unescape" else w for w in s) for s in sentences]
    print(json.dumps([task, split, str(label)] + texts, ensure_ascii=False))


def binary(kind, where):
    def read(task):
        e = kind(folder + where)
        for label, sentence in zip(e.labels, e.samples):
            show(task, "pool", label, sentence)
    return read


def sst(classes, where):
    def read(task):
        e = senteval.sst.SSTEval(folder + where, nclasses=classes)
        for split in ("train", "dev", "test"):
            for label, sentence in zip(e.sst_data[split]["y"], e.sst_data[split]["X"]):
                show(task, split, label, sentence)
    return read


def trec(task):
    e = senteval.trec.TRECEval(folder + "/TREC")
    for split, data in (("train", e.train), ("test", e.test)):
        for label, sentence in zip(data["y"], data["X"]):
            show(task, split, label, sentence)


def pairs(make):
    def read(task):
        data = make()
        for split in ("train", "dev", "test"):
            if split in data:
                for label, a, b in zip(data[split]["y"], data[split]["X_A"], data[split]["X_B"]):
                    show(task, split, label, a, b)
    return read


def sts(year):
    def read(task):
        e = getattr(senteval.sts, "STS%sEval" % year)(folder + "/STS/STS%s-en-test" % year)
        for name in e.datasets:
            for a, b, score in zip(*e.data[name]):
                show(task, name, score, a, b)
    return read


def snli(task):
    e = senteval.snli.SNLIEval(folder + "/SNLI")
    for name, split in (("train", "train"), ("valid", "dev"), ("test", "test")):
        for a, b, label in zip(*e.data[name]):
            show(task, split, label, a, b)


readers = {
    "mr": binary(senteval.binary.MREval, "/MR"),
    "cr": binary(senteval.binary.CREval, "/CR"),
    "mpqa": binary(senteval.binary.MPQAEval, "/MPQA"),
    "subj": binary(senteval.binary.SUBJEval, "/SUBJ"),
    "sst2": sst(2, "/SST/binary"),
    "sst5": sst(5, "/SST/fine"),
    "trec": trec,
    "mrpc": pairs(lambda: senteval.mrpc.MRPCEval(folder + "/MRPC").mrpc_data),
    "sick-e": pairs(lambda: senteval.sick.SICKEntailmentEval(folder + "/SICK").sick_data),
    "sick-r": pairs(lambda: senteval.sick.SICKRelatednessEval(folder + "/SICK").sick_data),
    "stsb": pairs(lambda: senteval.sts.STSBenchmarkEval(folder + "/STS/STSBenchmark").sick_data),
    "snli": snli,
}
for year in ("12", "13", "14", "15", "16"):
    readers["sts" + year] = sts(year)
for task in tasks.split(","):
    try:
        readers[task](task)
    except Exception as e:
        print(json.dumps([task, "error", type(e).__name__]))
