package dataset

import (
	"strconv"
	"strings"
)

// hubName is the file by which Hugging Face's load_dataset(folder) finds the
// rows. Without it the library takes every file below the folder for data and
// chooses the most frequent kind, which is that of the receipts.
const hubName = ".huggingface.yaml"

const hubConfig = `configs:
- config_name: default
  data_files:
  - split: train
    path: data/*.parquet
`

// isRunFile says whether a name is one that a run writes before its plan.
func isRunFile(name string) bool { return strings.HasPrefix(name, "_run/") }

// Folders of a dataset of results that are datasets themselves, with plans of their own: what
// the models made of each item, and the texts of the items. They are deleted with it.
const (
	ItemsFolder = "items"
	TextsFolder = "texts"
)

// isOurs says whether a name belongs to the layout of a dataset.
func isOurs(name string) bool {
	for _, inner := range []string{ItemsFolder, TextsFolder} {
		if rest, ok := strings.CutPrefix(name, inner+"/"); ok {
			name = rest
			break
		}
	}
	return name == ManifestName || name == hubName || isRunFile(name) || isShard(name, dataFolder) || isShard(name, rejectsFolder) || isShard(name, funnelFolder)
}

// isShardOfUnit says whether a name is the one that ShardName gives to a unit.
func isShardOfUnit(name string) bool {
	digits := strings.TrimSuffix(strings.TrimPrefix(name, dataFolder+"part-"), ".parquet")
	unit, err := strconv.Atoi(digits)
	return err == nil && unit >= 0 && ShardName(unit) == name
}

// IsShard says whether a file of a dataset's folder holds rows.
func IsShard(name string) bool { return isShard(name, dataFolder) }

func isShard(name, folder string) bool {
	rest, ok := strings.CutPrefix(name, folder+"part-")
	return ok && strings.HasSuffix(rest, ".parquet") && !strings.Contains(rest, "/")
}
