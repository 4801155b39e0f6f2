"""Compiles kernels by NVRTC, for which no GPU is needed: nvrtc.py FOLDER SOURCE DEFINITION… prints for each of some architectures and each
definition the bytes of the code of values.cu and the source, or what the compiler says."""

import ctypes
import glob
import sys

folder, path, *definitions = sys.argv[1:]
ctypes.CDLL(glob.glob(folder + "/libnvrtc-builtins.so.*")[0], ctypes.RTLD_GLOBAL)
nvrtc = ctypes.CDLL([p for p in glob.glob(folder + "/libnvrtc.so.*")][0])
source = b"".join(open(name, "rb").read() for name in ("values.cu", path))
for arch in ("sm_80", "sm_90", "sm_100"):
    for definition in definitions:
        program, n = ctypes.c_void_p(), ctypes.c_size_t()
        assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, path.encode(), 0, None, None) == 0
        options = [f"--gpu-architecture={arch}", "--std=c++17", "-D" + definition]
        status = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*(o.encode() for o in options)))
        if status:
            nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(n))
            log = ctypes.create_string_buffer(n.value)
            nvrtc.nvrtcGetProgramLog(program, log)
            sys.exit(f"{arch}, {definition}: {log.value.decode()}")
        nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(n))
        print(arch, definition, n.value)
