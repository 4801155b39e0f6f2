package locations

import (
	"errors"
	"path/filepath"

	"sentweave/schemas/storage/cache"
)

// LangidName is the file of fastText's language identifier in the folder for caches.
const LangidName = "lid.176.ftz"

// Langid returns where the language identifier is that install fetches.
func Langid() (string, error) {
	root, err := cache.Root()
	if err != nil {
		return "", err
	}
	file := filepath.Join(root, LangidName)
	if !IsFile(file) {
		return "", errors.New("`sentweave doctor --install langid` fetches fastText's " + LangidName + " and says where it is")
	}
	return file, nil
}
