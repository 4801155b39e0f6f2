package endpoint

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"sentweave/schemas/jsonfile"
	"sentweave/transforms/measure/neighbors"
)

type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Format     string   `json:"encoding_format"`
	Dimensions int      `json:"dimensions,omitempty"`
}

type response struct {
	Data []struct {
		Index     *int            `json:"index"`
		Embedding json.RawMessage `json:"embedding"`
	} `json:"data"`
	// Error is what some services say with the status 200.
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
	Usage struct {
		Total int64 `json:"total_tokens"`
	} `json:"usage"`
}

// vectors returns the vectors of n texts, in the order of the texts, each as the bytes of little-endian float32.
func (r *response) vectors(n int) ([]string, error) {
	if len(r.Data) != n {
		return nil, fmt.Errorf("%d texts have %d vectors", n, len(r.Data))
	}
	list := make([]string, n)
	for _, d := range r.Data {
		if d.Index == nil || *d.Index < 0 || *d.Index >= n || list[*d.Index] != "" {
			return nil, errors.New("the vectors do not have each index of the texts once")
		}
		v, err := decode(d.Embedding)
		if err != nil {
			return nil, fmt.Errorf("the vector %d %w", *d.Index, err)
		}
		list[*d.Index] = v
	}
	return list, nil
}

// decode returns the bytes of a vector that is a list of numbers, or their base64. A vector has 1 to neighbors.MaxDim
// numbers, and all are finite.
func decode(raw json.RawMessage) (string, error) {
	var data []byte
	switch text := strings.TrimSpace(string(raw)); {
	case strings.HasPrefix(text, `"`):
		if err := jsonfile.Unmarshal(raw, &text); err != nil {
			return "", err
		}
		var err error
		if data, err = base64.StdEncoding.DecodeString(text); err != nil || len(data)%4 != 0 {
			return "", errors.New("is not base64 of float32")
		}
	case strings.HasPrefix(text, "[") && !strings.Contains(text, "null"): // which would be 0
		var numbers []float32
		if err := jsonfile.Unmarshal(raw, &numbers); err != nil {
			return "", fmt.Errorf("is not a list of numbers: %w", err)
		}
		for _, x := range numbers {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
	default:
		return "", errors.New("is neither a list of numbers nor base64 of them")
	}
	if n := len(data) / 4; n == 0 || n > neighbors.MaxDim {
		return "", fmt.Errorf("has %d numbers, where 1 to %d can be", n, neighbors.MaxDim)
	}
	for _, x := range appendVector(nil, string(data)) {
		if x-x != 0 {
			return "", fmt.Errorf("has the number %v", x)
		}
	}
	return string(data), nil
}

// appendVector appends the numbers of a vector.
func appendVector(list []float32, bytes string) []float32 {
	for ; len(bytes) >= 4; bytes = bytes[4:] {
		list = append(list, math.Float32frombits(binary.LittleEndian.Uint32([]byte(bytes[:4]))))
	}
	return list
}
