package bitext

import "testing"

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
