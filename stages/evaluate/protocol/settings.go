package protocol

import (
	"encoding/json"
	"errors"
	"maps"

	"sentweave/schemas/jsonfile"
)

// WithSetting returns the settings with one more.
func WithSetting(settings map[string]any, name string, value any) map[string]any {
	copied := maps.Clone(settings)
	if copied == nil {
		copied = map[string]any{}
	}
	copied[name] = value
	return copied
}

// EncodeSettings writes settings as JSON, sorted by name. They hold numbers, texts and
// truth values only, which cannot fail.
func EncodeSettings(settings map[string]any) string {
	data, err := json.Marshal(settings)
	if err != nil {
		return "{}"
	}
	return string(data)
}

// MergeSettings adds settings to those of a figure.
func MergeSettings(settings string, extra map[string]string) (string, error) {
	if len(extra) == 0 {
		return settings, nil
	}
	var merged map[string]any
	if err := jsonfile.Unmarshal([]byte(settings), &merged); err != nil {
		return "", errors.Join(errors.New("settings of a figure"), err)
	}
	for name, value := range extra {
		merged = WithSetting(merged, name, value)
	}
	return EncodeSettings(merged), nil
}
