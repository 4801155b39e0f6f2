package bitext

import (
	"math"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sentweave/transforms/read/bitext"
)

// Lines of one shape have the same fields, and texts in the same places.
func TestShape(t *testing.T) {
	const two = `{"translation":{"de":"a","en":"b"}}`
	for line, same := range map[string]bool{
		`{ "translation" : {"de":"\"x\\","en":""} }`: true,
		`{"translation":{"de":"a:","en":"{,b}"}}`:    true,
		`{"translation":{"en":"b","de":"a"}}`:        false,
		`{"translation":{"de":"a","en":null}}`:       false,
		`{"translation":{"de":["a"],"en":"b"}}`:      false,
		`{"translation":{"de":"a","en":"b"`:          false,
		`{"translation":{"de":"a","en":"\`:           false,
		`{"translation":{"de":"a","\u0065n":"b"}}`:   false,
	} {
		if got := string(shape(nil, []byte(line))) == string(shape(nil, []byte(two))); got != same {
			t.Errorf("%s: %v, want %v", line, got, same)
		}
	}
}

// A score that is no number is told as it is meant, also where bytes stand for it.
func TestParquetNumber(t *testing.T) {
	for want, x := range map[string]float64{`"+Inf"`: math.Inf(1), `"NaN"`: math.NaN(), `"1e+39"`: 1e39} {
		record := item{source: &Source{Fields: &fieldColumns{}}, Record: &bitext.Record{}}
		record.parquetNumber(parquet.ByteArrayValue([]byte{0, 0x7c}), func(parquet.Value) float64 { return x })
		if record.Reason != bitext.Number || record.Detail != want {
			t.Errorf("%v: %s %s", x, record.Reason, record.Detail)
		}
	}
}
