"""Saves tensors by torch.save, and the same ones as safetensors.

    save.py FOLDER

Standard input is ignored. It writes FOLDER/new.bin, FOLDER/protocol4.bin, FOLDER/old.bin of the format before 1.6,
FOLDER/same.safetensors, and files that do something when they are unpickled, whose names are printed.
Exits with 3 where torch or safetensors is not installed.
"""
import collections
import json
import os
import sys

try:
    import torch
    from safetensors.torch import save_file
except ModuleNotFoundError as e:
    print(e, file=sys.stderr)
    sys.exit(3)

folder = sys.argv[1]
torch.manual_seed(1)
matrix = torch.randn(7, 5)
tensors = collections.OrderedDict(
    float32=matrix,
    transposed=matrix.T,
    permuted=torch.randn(2, 3, 4, 5).permute(2, 0, 3, 1),
    view=matrix[2:5, 1:4],
    stepped=torch.arange(40)[3::7],
    row=matrix[6],
    number=torch.tensor(2.5),
    empty=torch.empty(0, 3),
    one=torch.randn(1, 1, 3).transpose(0, 2),
    float16=matrix.half(),
    bfloat16=matrix.bfloat16(),
    float64=matrix.double(),
    int64=torch.arange(-3, 300),
    int32=torch.arange(5, dtype=torch.int32),
    int16=torch.arange(5, dtype=torch.int16),
    int8=torch.arange(-5, 5, dtype=torch.int8),
    uint8=torch.arange(5, dtype=torch.uint8),
    bool=torch.tensor([True, False]),
    big=torch.randn(300, 300),
)
tensors._metadata = {"": {"version": 1}}
torch.save(tensors, f"{folder}/new.bin")
torch.save(dict(tensors), f"{folder}/protocol4.bin", pickle_protocol=4)
torch.save(tensors, f"{folder}/old.bin", _use_new_zipfile_serialization=False)
save_file({k: v.contiguous().clone() for k, v in tensors.items()}, f"{folder}/same.safetensors")


class Hostile:
    def __init__(self, function, *arguments):
        self.function, self.arguments = function, arguments

    def __reduce__(self):
        return self.function, self.arguments


trace = f"{folder}/run"
hostile = {
    "posix.system": Hostile(os.system, f"touch {trace}"),
    "builtins.eval": Hostile(eval, f"open({trace!r}, 'w')"),
    "builtins.getattr": Hostile(getattr, "x", "upper"),
    "torch._utils._rebuild_parameter": torch.nn.Parameter(matrix),
}
for name, value in hostile.items():
    torch.save({"weight": matrix, "other": value}, f"{folder}/{name}.bin")
json.dump(sorted(hostile), sys.stdout)
