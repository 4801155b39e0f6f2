package jsonfile

import (
	"encoding/json"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

type shard struct {
	Name                       string
	Rows, Bytes, First, Second int64
	Hash                       [64]byte
}

// Texts that take many times their length in memory are errors before they are decoded.
func TestBounds(t *testing.T) {
	const n = MaxValues
	for name, test := range map[string]struct{ text, want string }{
		"numbers for structs":  {`{"shards":[` + strings.Repeat("0,", n) + `0]}`, "more than 2097152 values"},
		"nulls for structs":    {`{"shards":[` + strings.Repeat("null,", n) + `null]}`, "more than 2097152 values"},
		"empty objects":        {`{"shards":[` + strings.Repeat("{},", n) + `{}]}`, "more than 2097152 values"},
		"lists in lists":       {`{"shards":` + strings.Repeat("[", 100_000), "more than 500 deep"},
		"objects in objects":   {strings.Repeat(`{"a":`, 5_000) + "1" + strings.Repeat("}", 5_000), "more than 500 deep"},
		"keys":                 {`{` + strings.Repeat(`"a":1,`, n) + `"b":1}`, "more than 2097152 values"},
		"cut":                  {`{"shards":[0`, "unexpected end"},
		"a text without end":   {`{"shards":["\`, "unexpected"},
		"two values":           {`{} {}`, "behind"},
		"brackets in a text":   {`{"other":"` + strings.Repeat("[{,", n) + `"}`, ""},
		"an escaped end":       {`{"other":"\"` + strings.Repeat("[", 1_000) + `\\"}`, ""},
		"an escaped backslash": {`{"other":"\\","shards":[]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var into struct {
				Shards []shard
				Other  string
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err, strict := Unmarshal([]byte(test.text), &into), UnmarshalStrict([]byte(test.text), &into)
			runtime.ReadMemStats(&after)
			if test.want == "" && (err != nil || strict != nil) {
				t.Errorf("%v, strictly %v", err, strict)
			}
			if test.want != "" && (err == nil || strict == nil || !strings.Contains(err.Error()+strict.Error(), test.want)) {
				t.Errorf("%v, strictly %v: want %q", err, strict, test.want)
			}
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 64<<20 {
				t.Errorf("%d bytes take %d", len(test.text), allocated)
			}
		})
	}
}

func TestUnmarshalDistinct(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": {"b": 1, "c": [{"b": 2}, {"b": "b"}]}, "b": null}`: "",
		`{"a": 1, "b": 2, "a": 1}`:                                `the name "a" is there twice`,
		`{"a": 1, "A": 1}`:                                        `the name "A" is there twice`,
		`{"a": [0, {"b": {}, "\u0062": 1}]}`:                      `the name "b" is there twice`,
		`{"a": 1`:                                                 "unexpected EOF",
	} {
		var into map[string]any
		err := UnmarshalDistinct([]byte(text), &into)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestUnmarshalMost(t *testing.T) {
	text := []byte("[" + strings.Repeat("1.5,", 999) + "1.5]")
	var list []float64
	if err := UnmarshalMost(text, 1_001, &list); err != nil || len(list) != 1_000 {
		t.Errorf("%d numbers, %v", len(list), err)
	}
	if err := UnmarshalMost(text, 1_000, &list); err == nil {
		t.Error("the list itself is not counted")
	}
}

// What is within the bounds is decoded as json.Unmarshal decodes it, and no text has more values than were counted.
func FuzzUnmarshal(f *testing.F) {
	for _, text := range []string{`{"a":[1,{"b":"\"[,"}],"c":null}`, `[[],[[]],{}]`, `"\\"`, `[1,2`, ` {"a" : 1 , "a":2 } `} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want, got any
		if json.Unmarshal(data, &want) != nil {
			return
		}
		values, depth := counted(want)
		if err := UnmarshalMost(data, len(data)+1, &got); (err == nil) != (depth <= MaxDepth) || err == nil &&
			!reflect.DeepEqual(got, want) {
			t.Errorf("%v, %v: want %v", got, err, want)
		}
		if UnmarshalMost(data, values-1, &got) == nil {
			t.Errorf("%d values are counted as fewer", values)
		}
	})
}

// counted is the number of values in a tree, and its depth.
func counted(tree any) (values, depth int) {
	each := func(v any) {
		n, d := counted(v)
		values, depth = values+n, max(depth, d)
	}
	switch v := tree.(type) {
	case []any:
		for _, e := range v {
			each(e)
		}
	case map[string]any:
		for _, e := range v {
			each(e)
		}
	default:
		return 1, 0
	}
	return values + 1, depth + 1
}
