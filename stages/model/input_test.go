package model

import (
	"testing"
)

// Files of torch.save decide what an encoder is only where there is no safetensors in the same folder.
func TestInput(t *testing.T) {
	hash := func(list files) string {
		t.Helper()
		folder := list.stored(t)
		input, err := Input(t.Context(), "model", folder)
		if err != nil {
			t.Fatal(err)
		}
		return input.XXH3
	}
	const below = "0_Transformer/"
	torch := plain().with(files{TorchWeightsName: "a", below + TorchWeightsName: "b"})
	both := torch.with(files{WeightsName: "c", below + WeightsName: "d"})
	if hash(torch) == hash(torch.with(files{TorchWeightsName: "x"})) ||
		hash(torch) == hash(torch.with(files{below + TorchWeightsName: "x"})) {
		t.Error("files of torch do not count")
	}
	if hash(both) != hash(both.with(files{TorchWeightsName: "x", below + TorchWeightsName: "x"})) {
		t.Error("files of torch count beside safetensors")
	}
}
