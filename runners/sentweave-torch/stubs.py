"""Makes empty libraries in place of CUDA's, so that what is linked with them can
be linked and loaded where no CUDA is: stubs.py LIBRARIES STUBS.

Every library that the ones in LIBRARIES are linked with, and that is not there
itself, gets a stub of the same name with the symbol versions and the functions
that they ask for. No stub is ever called on a CPU."""

import glob
import os
import re
import subprocess
import sys
import tempfile

LIBRARIES, STUBS = sys.argv[1:]
# Prefixes of the functions in libraries without symbol versions.
PREFIXES = {"libcusparseLt": "cusparseLt", "libnccl": "nccl", "libcurand": "curand", "libcufile": "cuFile", "libcuda": "cu[A-Z]",
            "libcusolver": "cusolver", "libnvToolsExt": "nvtx", "libnvrtc": "nvrtc"}
STUBBED = re.compile(r"lib(cu(?!dart\.|pti\.)|nv|nccl)")
# The names under which gotch asks the linker for libraries.
LINKED = ["cuda", "cudart", "cublas", "cudnn", "caffe2_nvrtc", "nvrtc-builtins", "nvrtc", "nvToolsExt", "c10_cuda", "torch_cuda"]

versions, functions, plain = {}, {}, set()
for path in sorted(glob.glob(LIBRARIES + "/*.so*")):
    tables = subprocess.run(["readelf", "-dVW", "--dyn-syms", path], capture_output=True, text=True).stdout
    for name in re.findall(r"NEEDED.*\[(.*?)\]", tables):
        versions.setdefault(name, set())
    library = None
    for line in tables.splitlines():
        if m := re.search(r"Version: 1  File: (\S+)", line):
            library = m[1]
        elif (m := re.search(r"Name: (\S+)\s+Flags", line)) and library:
            versions.setdefault(library, set()).add(m[1])
        elif m := re.search(r" UND (\w+)@(\S+)", line):
            functions.setdefault(m[2], set()).add(m[1])
        elif m := re.search(r" UND (\w+)$", line):
            plain.add(m[1])


def compile_stub(name, source, script=""):
    with tempfile.TemporaryDirectory() as work:
        with open(work + "/stub.c", "w") as f:
            f.write(source)
        with open(work + "/stub.map", "w") as f:
            f.write(script)
        command = ["gcc", "-w", "-fno-builtin", "-shared", "-fPIC", "-o", f"{STUBS}/{name}", work + "/stub.c", f"-Wl,-soname,{name}"]
        subprocess.check_call(command + ([f"-Wl,--version-script={work}/stub.map"] if script else []))


os.makedirs(STUBS)
for name in sorted(versions):
    if not STUBBED.match(name):
        continue
    defined = set()
    if prefix := PREFIXES.get(name.split(".")[0]):
        defined = {s for s in plain if re.match(prefix, s)}
    script = ""
    for version in sorted(versions[name]):
        wanted = functions.get(version) or {"stub_" + re.sub(r"\W", "_", version)}
        script += f"{version} {{ global: {'; '.join(sorted(wanted))}; }};\n"
        defined |= wanted
    compile_stub(name, "int stub_none;\n" + "".join(f"void {s}(void) {{}}\n" for s in sorted(defined)), script)
for name in LINKED:
    if not os.path.exists(f"{LIBRARIES}/lib{name}.so"):
        compile_stub(f"lib{name}.so", "int stub_none;\n")
