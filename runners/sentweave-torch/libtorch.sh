#!/usr/bin/env bash
# Finds or fetches libtorch and says how to build and link with it. Nothing is
# installed on the system.
#   libtorch.sh env      the environment for the go tool, to be eval'ed
#   libtorch.sh run …    runs a command in that environment
#   libtorch.sh python   an interpreter whose PyTorch runs on the very same
#                        libtorch, for tests against it; backends after it for
#                        measurements against ONNX and OpenVINO
#   libtorch.sh where    the folder of torch
#   libtorch.sh fetch    fetches the wheel into the cache, if it is not there
# It takes the first of: $LIBTORCH (a folder with lib/ and include/), the PyTorch
# of `python3`, the wheel of torch $TORCH_VERSION (2.11.0 if it is not set; 2.1.2 and
# 2.7.1 are pinned, too, in runners/wheels) in the cache, which is fetched where it is
# missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../told.sh"
wheels=$here/../wheels
cache=${SENTWEAVE_CACHE:-${XDG_CACHE_HOME:-${HOME:?HOME is not set: name a folder in SENTWEAVE_CACHE}/.cache}/sentweave}
version=${TORCH_VERSION:-2.11.0}

fail() { printf 'libtorch: %s\n' "$*" >&2; exit 1; }

# fetch downloads the wheel of torch with the two CUDA libraries that its CPU half
# is linked with, and keeps what a build, a run and `import torch` need of them.
fetch() {
  local target=$1 work
  [ -f "$wheels/torch-$version.txt" ] ||
    fail "torch $version is not pinned in runners/wheels, 2.1.2, 2.7.1 and 2.11.0 are; name one in TORCH_VERSION, or an installed libtorch in LIBTORCH"
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/fetch.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  TMPDIR=$work told "fetching libtorch $version into $target, 1.2 GB when unpacked" 530 "$work" \
    "$wheels/pip.sh" python3 download "torch-$version" --dest "$work" ||
    fail "pip cannot download torch $version; name an installed libtorch in LIBTORCH, or another version in TORCH_VERSION"
  told "unpacking it" 1200 "$work/tree" python3 -c '
import glob, os, sys, zipfile
for wheel in glob.glob(sys.argv[1] + "/*.whl"):
    zipfile.ZipFile(wheel).extractall(sys.argv[1] + "/tree")
    os.remove(wheel)
' "$work" || fail "the wheels in $work cannot be unpacked"
  # Where another process was faster, its folder stays: somebody may use it already.
  mv -T "$work/tree" "$target" 2>/dev/null || [ -d "$target/torch" ] || fail "cannot move torch to $target: delete that folder"
  rm -rf "$work"
  trap - EXIT
}

# find sets torch to the folder with lib/ and include/, and home to the folder of
# the wheel if it is ours.
find_torch() {
  home=
  if [ -n "${LIBTORCH:-}" ]; then
    torch=$LIBTORCH
  elif torch=$(python3 -c 'import importlib.util as u, os; s = u.find_spec("torch"); print(os.path.dirname(s.origin))' 2>/dev/null) && [ -n "$torch" ]; then
    :
  else
    home=$cache/torch-$version
    torch=$home/torch
    [ -d "$torch" ] || fetch "$home"
  fi
  [ -f "$torch/lib/libtorch_cpu.so" ] || fail "$torch has no lib/libtorch_cpu.so: LIBTORCH must name a folder of libtorch for Linux"
  [ -f "$torch/include/torch/csrc/api/include/torch/torch.h" ] || fail "$torch has no C++ headers (include/torch/csrc/api/include)"
}

# prepare makes what a build needs beside torch, in a folder whose name changes
# with its contents: the go tool's cache sees names, not contents.
prepare() {
  build=$cache/build-$(cat "$here"/{cells.h,compat.h,compile.sh,stubs.py} | sha256sum | cut -c1-12)-$(printf %s "$torch" | sha256sum | cut -c1-8)
  [ -d "$build" ] && return
  mkdir -p "$cache"
  local work; work=$(mktemp -d "$cache/prepare.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  cp "$here"/{cells.h,compat.h,compile.sh} "$work/"
  ln -s compile.sh "$work/cc"
  ln -s compile.sh "$work/c++"
  python3 "$here/stubs.py" "$torch/lib" "$work/stubs" || fail "stub libraries cannot be made; is gcc installed?"
  mv -T "$work" "$build" 2>/dev/null || rm -rf "$work" # another process was faster
  trap - EXIT
}

environment() {
  # Wheels up to 2.6 have the strings of C++98 in their signatures.
  local abi=0 symbols
  symbols=$(nm -D "$torch/lib/libc10.so") || fail "nm cannot read $torch/lib/libc10.so: is it whole, and binutils installed?"
  grep -q 'torchCheckFail.*__cxx11' <<<"$symbols" && abi=1
  # Of CUDA, gotch names libraries that a CPU does not need: stubs satisfy the
  # linker, and --as-needed leaves them out.
  local link="-L$torch/lib -L$build/stubs -Wl,-rpath,$torch/lib -Wl,--as-needed -Wl,--allow-shlib-undefined"
  printf 'export %s\n' "CGO_ENABLED=1" "CC='$build/cc'" "CXX='$build/c++'" \
    "CGO_CXXFLAGS='-include $build/compat.h -I$torch/include -I$torch/include/torch/csrc/api/include -D_GLIBCXX_USE_CXX11_ABI=$abi -w'" \
    "CGO_CFLAGS='-include $build/cells.h -w'" "CGO_LDFLAGS='$link'"
}

# interpreter prints a Python that imports torch. The wheel imports CUDA
# libraries; a script beside the interpreter lets it find the stubs.
interpreter() {
  if [ -z "$home" ]; then command -v python3; return; fi
  local set peers script work
  set=torch-peers-$version # of a version that needs others
  [ -f "$wheels/$set.txt" ] || set=torch-peers
  set=${1:-$set}
  peers=peers-$(sha256sum <"$wheels/$set.txt" | cut -c1-8)
  if [ ! -d "$home/$peers" ]; then
    printf 'libtorch: fetching the peers of runners/wheels/%s.txt into %s\n' "$set" "$home/$peers" >&2
    work=$(mktemp -d "$home/fetch.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    "$wheels/pip.sh" python3 install "$set" --root-user-action ignore --target "$work/$peers" >&2 || fail "pip cannot install runners/wheels/$set.txt"
    mv "$work/$peers" "$home/" 2>/dev/null || [ -d "$home/$peers" ] || fail "cannot move $peers to $home"
    rm -rf "$work"
    trap - EXIT
  fi
  script=$build/python-$peers
  [ -x "$script" ] || {
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%q PYTHONPATH=%q${PYTHONPATH:+:$PYTHONPATH} exec %q "$@"\n' "$build/stubs" "$home:$home/$peers" "$(command -v python3)" >"$script.$$"
    chmod +x "$script.$$"
    mv "$script.$$" "$script"
  }
  printf '%s\n' "$script"
}

if [ "${1:-}" = fetch ]; then # though there may be another one
  [ -d "$cache/torch-$version/torch" ] || fetch "$cache/torch-$version"
  printf '%s\n' "$cache/torch-$version/torch"
  exit
fi
find_torch
case ${1:-} in
where) printf '%s\n' "$torch" ;;
env) prepare; environment ;;
run) prepare; variables=$(environment); eval "$variables"; shift; exec "$@" ;;
python) prepare; interpreter "${@:2}" ;;
*) fail "say what: env, run COMMAND…, python, where, fetch" ;;
esac
