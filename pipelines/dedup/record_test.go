package dedup

import (
	"bytes"
	"iter"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/exchange/spill"
)

func ptr(score float32) *float32 { return &score }

// Claims sort by who wins: other datasets first, then by score, then by id and place in the
// document; the unit and row decide nothing but between equal ids.
func TestClaims(t *testing.T) {
	small, large := [16]byte{0: 1, 15: 9}, [16]byte{0: 2}
	order := []claim{
		{own: false, id: large, sentence: 300, unit: 9, row: 9},
		{own: true, id: small, sentence: 0, unit: 1 << 20, row: 1 << 30},
		{own: true, id: small, sentence: 1, unit: 0, row: 255},
		{own: true, id: small, sentence: 1, unit: 0, row: 256},
		{own: true, id: small, sentence: 256, unit: 0, row: 0},
		{own: true, id: large, sentence: 0, unit: 0, row: 0, language: 1 << 63, pair: 1 << 62},
		{own: true, rank: rankOf(ptr(1.5)), id: large},
		{own: true, rank: rankOf(ptr(0))},
		{own: true, rank: rankOf(ptr(-1))},
		{own: true, rank: rankOf(ptr(-1.5))},
		{own: true, rank: rankOf(nil)},
	}
	if zero, negative := rankOf(ptr(0)), rankOf(ptr(float32(math.Copysign(0, -1)))); zero != negative {
		t.Errorf("zeros have the ranks %d and %d", zero, negative)
	}
	for i, c := range order {
		value := c.append(nil)
		if got, err := parseClaim(value); got != c || err != nil {
			t.Errorf("%+v reads as %+v, %v", c, got, err)
		}
		if i > 0 && bytes.Compare(order[i-1].append(nil), value) >= 0 {
			t.Errorf("%+v does not win against %+v", order[i-1], c)
		}
		if _, err := parseClaim(value[:len(value)-1]); err == nil {
			t.Error("a claim that is cut short is read")
		}
	}
}

// Losers come to their unit in the order of its rows.
func TestLosers(t *testing.T) {
	var last []byte
	for _, l := range []loser{{0, 0}, {0, 255}, {0, 256}, {1, 0}, {256, 0}, {1 << 31, 1 << 31}} {
		key := l.appendKey(nil, 7)
		if bytes.Compare(last, key) >= 0 || !bytes.HasPrefix(key, exchange.UnitKey(nil, 7)) {
			t.Errorf("%v has the key %x after %x", l, key, last)
		}
		if got, err := parseLoser(key); got != l || err != nil {
			t.Errorf("%v reads as %v, %v", l, got, err)
		}
		last = key
	}
	for _, key := range [][]byte{nil, last[:11], append(last, 0)} {
		if _, err := parseLoser(key); err == nil {
			t.Errorf("the key %x is read", key)
		}
	}
	for value, want := range map[string][2]string{"a": {reasonExcess, ""}, "d": {reasonDuplicate, ""},
		"e": {ReasonElsewhere, ""}, "eid": {ReasonElsewhere, "id"},
		"nid": {reasonNearDuplicate, "id"}, "k\x00\x00\x00\x02": {"", "\x00\x00\x00\x02"}} {
		if got, told, err := reasonOf([]byte(value)); got != want[0] || string(told) != want[1] || err != nil {
			t.Errorf("%q means %q with %q, %v, want %q", value, got, told, err, want)
		}
	}
	for _, value := range []string{"", "x"} {
		if _, _, err := reasonOf([]byte(value)); err == nil {
			t.Errorf("the reason %q is read", value)
		}
	}
}

func TestRawID(t *testing.T) {
	raw, err := rawID("00ff0102030405060708090a0b0c0d0e")
	if want := [16]byte{0, 0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}; raw != want || err != nil {
		t.Errorf("%x, %v", raw, err)
	}
	for _, id := range []string{"", "00", strings.Repeat("0", 31), strings.Repeat("0", 33), strings.Repeat("g", 32)} {
		if _, err := rawID(id); err == nil {
			t.Errorf("the id %q is read", id)
		}
	}
}

func records(list ...loser) iter.Seq2[spill.Record, error] {
	return func(yield func(spill.Record, error) bool) {
		var record spill.Record // one for all, as a merge does it
		for i, l := range list {
			record.Key = l.appendKey(record.Key[:0], 3)
			record.Value = append(record.Value[:0], "de"[i%2])
			if !yield(record, nil) {
				return
			}
		}
	}
}

// The cursor tells of each text whether it loses, and why.
func TestCursor(t *testing.T) {
	texts := []loser{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}}
	for _, test := range []struct {
		losers []loser
		want   []string // of the texts
		err    string
	}{
		{nil, []string{"", "", "", "", ""}, ""},
		{[]loser{{0, 0}}, []string{reasonDuplicate, "", "", "", ""}, ""},
		{[]loser{{0, 1}, {1, 0}, {2, 0}}, []string{"", reasonDuplicate, ReasonElsewhere, "", reasonDuplicate}, ""},
		{texts, []string{reasonDuplicate, ReasonElsewhere, reasonDuplicate, ReasonElsewhere, reasonDuplicate}, ""},
		// The documents are others than those that spilled their keys.
		{[]loser{{0, 2}}, []string{"", ""}, "row 0, sentence 2"},
		{[]loser{{2, 1}}, []string{"", "", "", "", ""}, "row 2"},
		{[]loser{{3, 0}}, []string{"", "", "", "", ""}, "row 3"},
	} {
		c, stop := newCursor(records(test.losers...))
		var got []string
		var err error
		for _, text := range texts {
			var reason string
			if reason, err = c.take(text); err != nil {
				break
			}
			got = append(got, reason)
		}
		if err == nil {
			err = c.finished()
		}
		stop()
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("losers %v: %s", test.losers, diff)
		}
		if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("losers %v: %v, want %q", test.losers, err, test.err)
		}
	}
	c, stop := newCursor(records(loser{0, 0}))
	defer stop()
	if err := c.finished(); err == nil {
		t.Error("a unit without rows has a loser")
	}
}

// An error of the exchange is one of the unit.
func TestCursorFails(t *testing.T) {
	c, stop := newCursor(func(yield func(spill.Record, error) bool) { yield(spill.Record{}, spill.ErrDamaged) })
	defer stop()
	if _, err := c.take(loser{}); err != spill.ErrDamaged {
		t.Errorf("%v", err)
	}
}

// Members sort in the order in which they stay: other datasets first, then by id, whatever their numbers are.
func TestMembers(t *testing.T) {
	small, large := [16]byte{15: 9}, [16]byte{0: 2}
	var last []byte
	for _, m := range []member{{false, large, 300}, {true, small, 1 << 30}, {true, large, 255}, {true, large, 256}} {
		value := m.append(nil)
		if got, err := parseMember(value); got != m || err != nil || bytes.Compare(last, value) >= 0 {
			t.Errorf("%+v reads as %+v, %v, and stays before %x", m, got, err, last)
		}
		if _, err := parseMember(value[1:]); err == nil {
			t.Error("a member that is cut short is read")
		}
		last = value
	}
}

// A number leads back to its unit and row, past units without rows.
func TestNumbering(t *testing.T) {
	n := Numbering{First: 7, Starts: []uint32{0, 0, 3, 3, 5}}
	for node, want := range [][2]uint32{{1, 0}, {1, 1}, {1, 2}, {3, 0}, {3, 1}} {
		unit, row := n.place(uint32(node))
		if unit != want[0] || row != want[1] || n.of(n.First+int(unit))+row != uint32(node) {
			t.Errorf("document %d is row %d of unit %d, want %v", node, row, unit, want)
		}
	}
	if n.documents() != 5 {
		t.Errorf("%d documents", n.documents())
	}
}
