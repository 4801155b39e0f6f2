"""Pins the wheels that are fetched: lock.py UV SET… [-- OPTION…] writes SET.txt
from SET.in, all that it names and needs, by version and hash. The options go to uv;
--upgrade takes newer versions of what SET.in leaves open, --upgrade-package NAME of
one package.

Hashes are those of all wheels that fit a Python and a system below. There is none of a
source distribution: to build one runs code of its own and fetches further tools."""

import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
PYTHONS = range(11, 15)  # 3.11 to 3.14
SYSTEMS = re.compile(r"any|manylinux\w*_(x86_64|aarch64)|macosx_\d+_\d+_(arm64|universal2)")
# The sets of which nothing is fetched that their packages need.
ALONE = {"datatrove", "langid", "learner", "minilm", "mpnet", "nvrtc"}
# PyTorch comes in a set of its own, not by what needs it.
APART = "torch ; python_version < '0'\n"


def fits(wheel: str) -> bool:
    """Whether a wheel of this file name fits a Python and a system."""
    pythons, abis, systems = wheel.removesuffix(".whl").split("-")[-3:]
    if not any(SYSTEMS.fullmatch(s) for s in systems.split(".")):
        return False
    for python in pythons.split("."):
        minor = int(python[3:]) if re.fullmatch(r"(py|cp)3\d+", python) else 0
        if python == "py3" or minor in PYTHONS and abis in (python, "none") or minor <= max(PYTHONS) and "abi3" in abis.split("."):
            return True
    return False


def lock(uv: str, name: str, options: list[str]) -> str:
    """The text of NAME.txt."""
    source, target = HERE / f"{name}.in", HERE / f"{name}.txt"
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        override, versions, hashes = work / "override.txt", work / "versions.txt", work / "pylock.toml"
        command = [uv, "pip", "compile", "--quiet", "--universal", "--no-header", "--no-annotate", "--no-config",
                   f"--python-version=3.{PYTHONS[0]}", "--only-binary=:all:"]
        if target.exists():  # what it has stays as it is
            versions.write_text(target.read_text())
        choice = list(options)
        if name in ALONE or re.fullmatch(r"torch-[\d.]+", name):
            choice.append("--no-deps")
        elif name != "torch-gpu":
            override.write_text(APART)
            choice.append(f"--override={override}")
        subprocess.run([*command, *choice, source, "-o", versions], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([*command, "--no-deps", "--format=pylock.toml", versions, "-o", hashes], check=True, stdout=subprocess.DEVNULL)
        wheels = {(p["name"], p["version"]): p.get("wheels", []) for p in tomllib.loads(hashes.read_text())["packages"]}
        lines = [f"# Written by `make wheels` from {source.name}.\n"]
        for line in versions.read_text().splitlines():
            if "sys_platform == 'win32'" in line or "sys_platform == 'emscripten'" in line:
                continue
            package, version = re.match(r"([\w.-]+)==([^\s;]+)", line).groups()
            sums = sorted({w["hashes"]["sha256"] for w in wheels[package, version] if fits(w["url"].rsplit("/")[-1])})
            if not sums:
                sys.exit(f"lock: {package} {version} of {source.name} has no wheel for any of the Pythons and systems")
            lines.append(" \\\n    ".join([line.strip(), *(f"--hash=sha256:{s}" for s in sums)]) + "\n")
    return "".join(lines)


def main() -> None:
    uv, *names = sys.argv[1:]
    options = []
    if "--" in names:
        options = names[names.index("--") + 1:]
        names = names[:-1 - len(options)]
    for name in names:
        text = lock(uv, name, options)
        (HERE / f"{name}.txt").write_text(text)
        print(f"{name}: {text.count('==')} packages, {text.count('--hash')} wheels")


if __name__ == "__main__":
    main()
