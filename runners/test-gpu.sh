#!/usr/bin/env bash
# Runs the tests of libtorch on a GPU: `make test-gpu`. A GPU has its own libtorch, that of
# the PyTorch which sees it. Where there is none, the script says what it skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
libtorch=runners/sentweave-torch/libtorch.sh
if ! nvidia-smi -L 2>/dev/null; then
  echo "skipped: parity with the CPU and with PyTorch on CUDA, bfloat16 on CUDA: nvidia-smi finds no GPU"
  exit
fi
runners/fetch.sh minilm
SENTWEAVE_DEVICE=cuda SENTWEAVE_MINILM=$PWD/.build/minilm SENTWEAVE_PYTORCH=$($libtorch python) \
  $libtorch run go test -tags libtorch -v -timeout 20m ./stages/torch/...
