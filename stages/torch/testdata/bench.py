"""The peer of the benchmarks: plain eager PyTorch, batched and padded.

bench.py step FOLDER THREADS DEVICE PRECISION: for each line that comes in, one training step on the
batches of FOLDER/batches.json from the weights there; answers with its seconds, by
the clock and of CPU, and its losses. bench.py objective …: the same for the objective
and the batch of FOLDER/case.json. bench.py encode …: for each line, the vectors of the
sentences of the file named there; answers in the same way, with a checksum. Batches of steps are
on the device before they are timed. torch.autocast chooses what is computed in bfloat16."""

import contextlib
import json
import math
import os
import struct
import sys
import tempfile
import time

import torch
import torch.nn.functional as F

mode, folder, threads, device, precision = sys.argv[1:6]
torch.set_num_threads(int(threads))
torch.set_default_device(device)
autocast = lambda: torch.autocast(torch.device(device).type, torch.bfloat16, enabled=precision == "bfloat16")
config = json.load(open(folder + "/config.json"))
hidden, heads, eps = config["hidden_size"], config["num_attention_heads"], config["layer_norm_eps"]


def read(path):
    data = open(path, "rb").read()
    (n,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, t in json.loads(data[8 : 8 + n]).items():
        if name != "__metadata__" and t["dtype"] == "F32":
            a, b = t["data_offsets"]
            tensors[name] = torch.frombuffer(bytearray(data[8 + n + a : 8 + n + b]), dtype=torch.float32).reshape(t["shape"]).to(device, copy=True)
    return tensors


w = read(folder + "/model.safetensors")


def dense(x, name):
    return F.linear(x, w[name + ".weight"], w[name + ".bias"])


def norm(x, name):
    return F.layer_norm(x, (hidden,), w[name + ".weight"], w[name + ".bias"], eps)


def embed(ids, kinds=0, second=""):
    x = F.embedding(ids, w[second + "embeddings.word_embeddings.weight"]) + w[second + "embeddings.position_embeddings.weight"][: ids.shape[1]]
    return norm(x + w[second + "embeddings.token_type_embeddings.weight"][kinds], second + "embeddings.LayerNorm")


def layers(x, mask, second=""):
    n, length = x.shape[:2]
    for i in range(config["num_hidden_layers"]):
        p = f"{second}encoder.layer.{i}."
        q, k, v = (dense(x, p + "attention.self." + s).view(n, length, heads, -1).transpose(1, 2) for s in ("query", "key", "value"))
        o = F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).reshape(n, length, hidden)
        x = norm(dense(o, p + "attention.output.dense") + x, p + "attention.output.LayerNorm")
        x = norm(dense(F.gelu(dense(x, p + "intermediate.dense")), p + "output.dense") + x, p + "output.LayerNorm")
    return x


class Side:
    """Sequences with what a mask needs; None where nothing is padding."""

    def __init__(self, sequences, prefix=0):
        self.lengths = torch.tensor([len(s) for s in sequences])
        longest = int(self.lengths.max())
        self.ids = torch.tensor([s + [0] * (longest - len(s)) for s in sequences])
        self.real = self.mask = None
        if int(self.lengths.min()) < longest:
            self.real = (torch.arange(longest) < self.lengths[:, None]).float()[:, :, None]
            bias = torch.where(self.real[:, :, 0] > 0, 0.0, -math.inf)
            self.mask = F.pad(bias, (prefix, 0))[:, None, None, :]

    def mean(self, x):
        return x.mean(1) if self.real is None else (x * self.real).sum(1) / self.lengths[:, None]

    def vectors(self, second=""):
        return self.mean(layers(embed(self.ids, second=second), self.mask, second))


def rows(s):
    return [s["IDs"][i * s["Length"] :][:n] for i, n in enumerate(s["Lengths"])]


def begin():
    return time.perf_counter(), time.process_time()


def answer(start, *results):
    if device != "cpu":
        torch.cuda.synchronize()
    print(json.dumps([time.perf_counter() - start[0], time.process_time() - start[1], *results]), flush=True)


def adamw(o, rate):
    decays = lambda name: not name.endswith("bias") and "Norm." not in name
    groups = [{"params": [p for k, p in w.items() if decays(k) == d and p.requires_grad], "weight_decay": o["decay"] if d else 0.0} for d in (True, False)]
    return torch.optim.AdamW(groups, lr=rate, betas=(o["beta1"], o["beta2"]), eps=o["epsilon"])


def masked(x, targets):
    x = norm(F.gelu(dense(x, "cls.predictions.transform.dense")), "cls.predictions.transform.LayerNorm")
    return F.cross_entropy(F.linear(x, w["embeddings.word_embeddings.weight"], w["cls.predictions.bias"]), targets)


def step():
    global w
    case = json.load(open(folder + "/batches.json"))
    w |= read(folder + "/heads.safetensors")
    for p in w.values():
        p.requires_grad_(True)
    c, b, o = case["cmlm"], case["bitext"], case["optimizer"]
    optimizer = adamw(o, case["rate"])
    n, pairs = case["vectors"], b["A"]["Count"]
    first, second, one, other = Side(rows(c["A"])), Side(rows(c["B"]), prefix=n), Side(rows(b["A"])), Side(rows(b["B"]))
    at, targets = torch.tensor(c["Positions"]), torch.tensor(c["Targets"])

    def cmlm():
        v = first.vectors()
        h = dense(F.relu(dense(F.relu(dense(v, "cmlm.projection.0")), "cmlm.projection.1")), "cmlm.projection.2")
        prefix = torch.cat([v[:, None], h.view(len(v), n - 1, hidden)], 1)
        x = layers(torch.cat([prefix, embed(second.ids)], 1), second.mask)
        x = x[at // c["B"]["Length"], n + at % c["B"]["Length"]]
        return masked(x, targets)

    def bitext():
        x, y = (F.normalize(s.vectors().float(), dim=1) for s in (one, other))
        with torch.autocast(torch.device(device).type, enabled=False):
            cosines = x @ y.T
        logits = case["scale"] * (cosines - case["margin"] * torch.eye(pairs))
        diagonal = torch.arange(pairs)
        return F.cross_entropy(logits, diagonal) + F.cross_entropy(logits.T, diagonal)

    for _ in sys.stdin:
        start = begin()
        losses = []
        for objective in (cmlm, bitext):
            with autocast():
                loss = objective()
            loss.backward()
            losses.append(loss.item())
        torch.nn.utils.clip_grad_norm_([p for p in w.values() if p.grad is not None], o["clip"])
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        answer(start, *losses)


def objective():
    """One objective, as one would write it in PyTorch."""
    global w
    case = json.load(open(folder + "/case.json"))
    name, batch, c, o = case["objective"], case["batch"], case["config"], case["optimizer"]
    w |= read(folder + "/heads.safetensors")
    if os.path.exists(lens := folder + "/1_Lens/model.safetensors"):
        w |= read(lens)
    if os.path.exists(second := folder + "/1_Second/model.safetensors"):
        w |= {"quickthought.second." + k: p for k, p in read(second).items()}
    for k, p in w.items():
        p.requires_grad_("running_" not in k and (name != "lens" or "lens" in k))
    optimizer, after = adamw(o, case["rate"]), lambda: None
    given = {k: torch.tensor(v) for k, v in batch.items() if isinstance(v, list)}
    sides = [Side(rows(batch[k])) for k in ("A", "B", "Texts") if k in batch]

    def nli():
        u, v = (s.vectors() for s in sides)
        return F.cross_entropy(dense(torch.cat([u, v, abs(u - v), u * v], 1), "nli.classifier"), given["Labels"])

    def cosine():
        cosines, gold = F.cosine_similarity(*(s.vectors() for s in sides)), given["Targets"]
        differences = (c["scale"] * (cosines[None, :] - cosines[:, None]))[gold[:, None] > gold[None, :]]
        return torch.logsumexp(torch.cat([torch.zeros(1), differences]), 0)

    def others(logits):
        n = len(logits) // 2
        excluded = given["Excluded"].view(2 * n, 2 * n) | torch.eye(2 * n, dtype=torch.bool)
        return F.cross_entropy(logits.masked_fill(excluded, -math.inf), torch.cat([torch.arange(n, 2 * n), torch.arange(n)]))

    def contrastive():
        z = F.normalize(torch.cat([s.vectors() for s in sides]), dim=1)
        return others(z @ z.T / c["temperature"])

    def quickthought():
        u, v = (torch.cat([s.vectors(second) for s in sides]) for second in ("", "quickthought.second."))
        return others(u @ v.T)

    def classify():
        return F.cross_entropy(dense(sides[0].vectors(), "classify.classifier"), given["Labels"])

    def at(x):
        places = given["Positions"]
        return x[places // x.shape[1], places % x.shape[1]]

    def mlm():
        (texts,) = sides
        return masked(at(layers(embed(texts.ids), texts.mask)), given["Targets"])

    def nsp():
        (texts,) = sides
        kinds = (torch.arange(texts.ids.shape[1]) >= given["First"][:, None]).long()
        x = layers(embed(texts.ids, kinds), texts.mask)
        answers = dense(torch.tanh(dense(x[:, 0], "pooler.dense")), "cls.seq_relationship")
        return masked(at(x), given["Targets"]) + F.cross_entropy(answers, given["Random"])

    def mse():
        return F.mse_loss(sides[0].vectors(), given["Vectors"].view(-1, hidden))

    def lens():
        def sentence(side):
            with torch.no_grad():
                x = layers(embed(side.ids), side.mask)
            x = F.relu(dense(x, "lens"))
            return (x if side.real is None else x * side.real).max(1).values

        u, v = (sentence(s) for s in sides)
        if c["head"] == "classifier":
            h = F.relu(dense(torch.cat([u, v, u * v, abs(u - v)], 1), "lens_classifier.0"))
            return F.cross_entropy(dense(h, "lens_classifier.1"), given["Labels"])
        s = F.normalize(u, dim=1) @ F.normalize(v, dim=1).T
        own, others = s.diag(), s.masked_fill(torch.eye(len(s), dtype=torch.bool), -math.inf)
        return sum(F.relu(c["margin"] + others.max(d).values - own).sum() for d in (0, 1))

    if name == "bsl":
        online = {k: p for k, p in w.items() if k.startswith(("embeddings.", "encoder."))}
        target = {k: p.detach().clone() for k, p in online.items()}

        def after():
            with torch.no_grad():
                torch._foreach_lerp_(list(target.values()), list(online.values()), 1 - c["momentum"])

        def predict(x):
            for part in ("0", "1"):
                part = "bsl.predictor.0." + part
                mean, variance, weight, bias = (w[f"{part}.BatchNorm.{k}"] for k in ("running_mean", "running_var", "weight", "bias"))
                x = F.relu(F.batch_norm(F.linear(x, w[part + ".weight"]), mean, variance, weight, bias, training=True))
            return dense(x, "bsl.predictor.0.2")

        def follow(side):
            global w
            now, w = w, target
            with torch.no_grad():
                h = side.vectors()
            w = now
            return h

        def bsl():
            a, b = sides
            return sum(-F.cosine_similarity(predict(x.vectors()), follow(y)).mean() / 2 for x, y in ((a, b), (b, a)))

    compute = locals()[name]
    for _ in sys.stdin:
        start = begin()
        with autocast():
            loss = compute()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([p for p in w.values() if p.grad is not None], o["clip"])
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        after()
        answer(start, loss.item())


def encode():
    """As sentence-transformers does: by length, 32 at a time, padded to the longest."""
    for line in sys.stdin:
        sentences = json.load(open(line.strip()))
        start = begin()
        order = sorted(range(len(sentences)), key=lambda i: -len(sentences[i]))
        total = 0.0
        with torch.inference_mode(), autocast():
            for i in range(0, len(order), 32):
                total += F.normalize(Side([sentences[j] for j in order[i : i + 32]]).vectors(), dim=1).sum().item()
        answer(start, total)


def exported(backend, kind, sample):
    """sentence-transformers with the model in another backend's format, made as its page on efficiency says: in int8 ONNX for
    processors with VNNI, and OpenVINO by ranges that it finds in the sample."""
    from sentence_transformers import SentenceTransformer, export_dynamic_quantized_onnx_model

    target, limits = tempfile.mkdtemp(dir=os.environ["BENCH_FOLDER"]), {}
    model = SentenceTransformer(folder, device="cpu", backend=backend, model_kwargs={"export": True})
    model.save_pretrained(target)
    if backend == "onnx":
        import onnxruntime

        session = onnxruntime.SessionOptions()
        session.intra_op_num_threads = int(threads)
        limits = {"session_options": session, "provider": "CPUExecutionProvider", "file_name": "model.onnx"}
        if kind == "int8":
            export_dynamic_quantized_onnx_model(model, "avx512_vnni", target)
            limits["file_name"] = "model_qint8_avx512_vnni.onnx"
    else:
        limits = {"ov_config": {"INFERENCE_NUM_THREADS": int(threads)}}
        if kind == "int8":
            import nncf
            from optimum.intel import OVConfig, OVQuantizationConfig, OVQuantizer

            inputs = [dict(model.tokenizer(text, padding="max_length", max_length=128, truncation=True, return_tensors="pt")) for text in sample]
            OVQuantizer.from_pretrained(model.transformers_model).quantize(
                ov_config=OVConfig(quantization_config=OVQuantizationConfig()), calibration_dataset=nncf.Dataset(inputs), save_directory=target
            )
        else:
            limits["ov_config"]["INFERENCE_PRECISION_HINT"] = {"float32": "f32", "bfloat16": "bf16"}[kind]
    return SentenceTransformer(target, device="cpu", backend=backend, model_kwargs=limits)


def library():
    """sentence-transformers itself, from texts, by the backend before the precision: answers with the cosines of each text and the
    one after it. The first texts are those that ranges are found in."""
    from sentence_transformers import SentenceTransformer

    backend, model = sys.argv[6], None
    for line in sys.stdin:
        texts = json.load(open(line.strip()))
        if model is None:
            with contextlib.redirect_stdout(sys.stderr):  # of notes of progress
                model = SentenceTransformer(folder, device=device) if backend == "torch" else exported(backend, precision, texts)
        start = begin()
        with torch.autocast(torch.device(device).type, torch.bfloat16, enabled=precision == "bfloat16" and backend == "torch"):
            vectors = model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
        answer(start, *(float(a @ b) for a, b in zip(vectors[::2], vectors[1::2])))


{"step": step, "objective": objective, "encode": encode, "library": library}[mode]()
