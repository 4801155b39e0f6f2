package models

// Examples are command lines of the verbs of this package; see command.Program. The first
// of a verb has the flags that it cannot do without.
var Examples = map[string][]string{
	"init": {"init --vocabulary vocabulary/vocab.txt --out untrained", "init --vocabulary vocabulary/vocab.txt --out small --layers 4 --hidden 256 --heads 4 --intermediate 1024",
		"init --from bag --layers 2 --out begun"},
	"train":   {"train --examples examples --bitext pair-examples --vocabulary vocabulary/vocab.txt --out encoder", "train --preset br --bitext pair-examples --from LaBSE --steps 5000 --rate 0.0002 --out encoder"},
	"embed":   {"embed --model encoder --texts pairs --out embeddings"},
	"replace": {"replace --model encoder --texts documents --out views"},
	"states":  {"states --model encoder --examples pair-examples --out states"},
	"prefix":  {"prefix --model encoder --examples heldout-examples --out prefix"},
}
