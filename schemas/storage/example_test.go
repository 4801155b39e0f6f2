package storage_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"sentweave/schemas/storage"
)

// Of two writers that both want a name to be absent, one writes, and the other learns of it.
func ExampleWriteFile() {
	place, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(place)
	ctx := context.Background()
	folder, err := storage.Locate(place) // or gs://BUCKET/FOLDER
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"first", "second"} {
		err := storage.WriteFile(ctx, folder, "receipts/0.json", []byte(text), storage.IfAbsent)
		fmt.Println(text, "written:", err == nil, "there already:", errors.Is(err, fs.ErrExist))
	}
	data, err := storage.ReadFile(ctx, folder, "receipts/0.json", 1<<10)
	fmt.Println(string(data), err)
	// Output:
	// first written: true there already: false
	// second written: false there already: true
	// first <nil>
}
