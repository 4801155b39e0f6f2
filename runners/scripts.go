// Package runners holds the scripts that fetch what users of the program alone, without
// its source, may need: `sentweave doctor --install` runs them.
package runners

import "embed"

// Scripts are the scripts and what they read, by their paths below the folder runners.
//
//go:embed fetch.sh told.sh apertium-unpacked.sh wheels/pip.sh wheels/langid.txt wheels/torch-2.11.0.txt sentweave-torch/libtorch.sh
var Scripts embed.FS
