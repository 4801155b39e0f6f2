// Package layout names the files of a dataset's folder, and tells by a name what a file is.
package layout

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Names in a dataset folder.
const (
	ManifestName  = "manifest.json"
	PlanName      = "_run/plan.json"
	PlanFolder    = "_run/plan/"
	ReceiptFolder = "_run/units/"
	SpillFolder   = "_run/exchange/"
	DataFolder    = "data/"
	RejectsFolder = "rejects/"
	RejectsName   = "rejects/part-00000.parquet"
	FunnelFolder  = "funnel/"
	FunnelName    = "funnel/part-00000.parquet"
	CountsFolder  = "_run/counts/"
	SamplesFolder = "_run/samples/"
	RunName       = "_run/run.json"
)

// JournalFolder holds the journals of units, each in a folder of its own.
const JournalFolder = "_run/journal/"

// CertificateName is what says, beside a manifest, which rows of another dataset were erased here.
const CertificateName = "erasure.json"

// SpentFolder holds one record for each run of a dataset that spends money or has a
// budget, with the amount that was spent. The records stay with the dataset, and
// Overwrite does not delete such a dataset.
const SpentFolder = "_run/spent/"

// ShardName returns the name of the shard of a unit.
func ShardName(unit int) string { return fmt.Sprintf("%spart-%05d.parquet", DataFolder, unit) }

// SpillName returns the name of the spill file of a unit.
func SpillName(unit int) string { return fmt.Sprintf("%s%05d.spill", SpillFolder, unit) }

// ReceiptName returns the name of the receipt of a unit.
func ReceiptName(unit int) string { return fmt.Sprintf("%s%05d.json", ReceiptFolder, unit) }

// UnitOf returns the unit of the name of a receipt.
func UnitOf(name string) (int, bool) {
	digits, ok := strings.CutSuffix(strings.TrimPrefix(name, ReceiptFolder), ".json")
	if !ok {
		return 0, false
	}
	unit, err := strconv.Atoi(digits)
	return unit, err == nil && unit >= 0 && ReceiptName(unit) == name
}

// IsCompanion says whether a name is that of a companion of a receipt.
func IsCompanion(name string) bool {
	return strings.HasPrefix(name, CountsFolder) || strings.HasPrefix(name, SamplesFolder)
}

// HubName is the file by which Hugging Face's load_dataset(folder) finds the
// rows. Without it the library takes every file below the folder for data and
// chooses the most frequent kind, which is that of the receipts.
const HubName = ".huggingface.yaml"

// HubConfig is its content.
const HubConfig = `configs:
- config_name: default
  data_files:
  - split: train
    path: data/*.parquet
`

// IsRunFile says whether a name is one that a run writes before its plan.
func IsRunFile(name string) bool { return strings.HasPrefix(name, "_run/") }

// Folders of a dataset of results that are datasets themselves, with plans of their own: what
// the models made of each item, and the texts of the items. They are deleted with it.
const (
	ItemsFolder = "items"
	TextsFolder = "texts"
)

// Holds says whether a name belongs to the layout of a dataset.
func Holds(name string) bool {
	for _, inner := range []string{ItemsFolder, TextsFolder} {
		if rest, ok := strings.CutPrefix(name, inner+"/"); ok {
			name = rest
			break
		}
	}
	return name == ManifestName || name == HubName || name == CertificateName || IsRunFile(name) || isShard(name, DataFolder) ||
		isShard(name, RejectsFolder) || isShard(name, FunnelFolder)
}

// UnitOfShard returns the unit of the name of a shard.
func UnitOfShard(name string) (int, bool) {
	digits := strings.TrimSuffix(strings.TrimPrefix(name, DataFolder+"part-"), ".parquet")
	unit, err := strconv.Atoi(digits)
	return unit, err == nil && unit >= 0 && ShardName(unit) == name
}

// IsShard says whether a file of a dataset's folder holds rows.
func IsShard(name string) bool { return isShard(name, DataFolder) }

func isShard(name, folder string) bool {
	rest, ok := strings.CutPrefix(name, folder+"part-")
	return ok && strings.HasSuffix(rest, ".parquet") && !strings.Contains(rest, "/")
}

// IsMade says whether a file that is beside the files of a manifest was made by this program: in
// the folders that others read, names tell.
func IsMade(name string) bool {
	_, shard := UnitOfShard(name)
	return IsRunFile(name) || name == RejectsName || name == FunnelName || shard
}

var journalEntry = regexp.MustCompile("^" + JournalFolder + "[0-9]{5,}/[0-9a-f]{16}$")

// IsJournalEntry says whether a file of a dataset's folder is an entry of the journal of
// a unit that is not committed.
func IsJournalEntry(name string) bool { return journalEntry.MatchString(name) }
