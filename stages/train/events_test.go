package train

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sentweave/schemas/peertest"
)

// TestMaskedCRC: crc32c of 32 bytes of zeros is 0x8a9136aa (RFC 3720, B.4); the mask
// rotates it right by 15 bits and adds 0xa282ead8.
func TestMaskedCRC(t *testing.T) {
	zeros := make([]byte, 32)
	if c := crc32.Checksum(zeros, castagnoli); c != 0x8a9136aa {
		t.Fatalf("crc32c is %#x", c)
	}
	rotated := uint32(0x8a9136aa>>15 | (0x8a9136aa&0x7fff)<<17)
	if got := maskedCRC(zeros); got != rotated+0xa282ead8 {
		t.Errorf("%#x", got)
	}
}

// readEvents is a reader of its own, which knows messages by the numbers of their fields.
func readEvents(t *testing.T, path string) (events []map[string]any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(part []byte, crc []byte) {
		c := crc32.Checksum(part, crc32.MakeTable(crc32.Castagnoli))
		if want := uint32(uint64((c>>15)|(c<<17)) + 0xa282ead8&0xffffffff); binary.LittleEndian.Uint32(crc) != want {
			t.Fatal("a checksum is wrong")
		}
	}
	for len(data) > 0 {
		n := binary.LittleEndian.Uint64(data)
		check(data[:8], data[8:12])
		body := data[12 : 12+n]
		check(body, data[12+n:16+n])
		data = data[16+n:]
		events = append(events, message(t, body))
	}
	return events
}

func message(t *testing.T, data []byte) map[string]any {
	fields := map[string]any{}
	for i := 0; len(data) > 0; i++ {
		tag, n := binary.Uvarint(data)
		data = data[n:]
		name := fmt.Sprint(tag >> 3)
		if _, ok := fields[name]; ok {
			name = fmt.Sprint(name, "/", i)
		}
		switch tag & 7 {
		case 0:
			v, n := binary.Uvarint(data)
			fields[name], data = v, data[n:]
		case 1:
			fields[name], data = math.Float64frombits(binary.LittleEndian.Uint64(data)), data[8:]
		case 5:
			fields[name], data = float64(math.Float32frombits(binary.LittleEndian.Uint32(data))), data[4:]
		case 2:
			size, n := binary.Uvarint(data)
			fields[name], data = string(data[n:n+int(size)]), data[n+int(size):]
		default:
			t.Fatalf("wire type %d", tag&7)
		}
	}
	return fields
}

func TestEvents(t *testing.T) {
	root := t.TempDir()
	e, err := openEvents(worked(t, root), root, 7, func() time.Time { return time.UnixMicro(1_500_000) })
	if err != nil {
		t.Fatal(err)
	}
	if err := e.scalars(300, []scalar{{"loss", 1.5}, {"rate", .25}}); err != nil {
		t.Fatal(err)
	}
	events := readEvents(t, e.out.Path())
	if len(events) != 3 || events[0]["1"] != 1.5 || events[0]["3"] != "brain.Event:2" || events[1]["2"] != uint64(7) ||
		events[2]["2"] != uint64(300) {
		t.Fatalf("%v", events)
	}
	if session := message(t, []byte(events[1]["7"].(string))); session["1"] != uint64(1) {
		t.Errorf("session %v", session)
	}
	summary := message(t, []byte(events[2]["5"].(string)))
	first, second := message(t, []byte(summary["1"].(string))), message(t, []byte(summary["1/1"].(string)))
	if first["1"] != "loss" || first["2"] != 1.5 || second["1"] != "rate" || second["2"] != .25 {
		t.Errorf("%v, %v", first, second)
	}
}

// A file follows those that are there, also where older ones were deleted.
func TestEventsFollow(t *testing.T) {
	root := t.TempDir()
	var last string
	for i := range 3 {
		e, err := openEvents(worked(t, root), root, int64(i), time.Now)
		if err != nil {
			t.Fatal(err)
		}
		name := e.out.Path()
		if err := e.out.Close(); err != nil {
			t.Fatal(err)
		}
		if name <= last {
			t.Errorf("%s after %s", name, last)
		}
		if i == 1 {
			if err := os.Remove(last); err != nil {
				t.Fatal(err)
			}
		}
		last = name
	}
}

// TestTensorBoardReadsThem: TensorBoard's own reader sees every step once, also
// those that a killed run had taken after its last checkpoint.
func TestTensorBoardReadsThem(t *testing.T) {
	python := peertest.Python(t, "tensorboard")
	c := twoPeriods(t)
	out := stopped(t, c, 12) // the lines of 10 and 12 come again after checkpoint 9, or 12
	if err := os.RemoveAll(filepath.Join(out+Suffix, "checkpoints", "000012")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Run(context.Background(), out, c, options(nil)); err != nil {
		t.Fatal(err)
	}
	const script = `
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
a = EventAccumulator(sys.argv[1])
a.Reload()
print(json.dumps({tag: [[e.step, e.value] for e in a.Scalars(tag)] for tag in a.Tags()["scalars"]}))`
	var got map[string][][2]float64
	peertest.Answer(t, nil, &got, python, "-c", script, filepath.Join(out+Suffix, "tensorboard"))
	lines, err := ReadLosses(filepath.Join(out, LossesName))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][][2]float64{}
	for _, l := range lines {
		add := func(tag string, value float64) {
			want[tag] = append(want[tag], [2]float64{float64(l.Step), float64(float32(value))})
		}
		add("loss", l.Loss)
		add("rate", l.Rate)
		add("gradient_norm", l.GradientNorm)
		for name, loss := range l.Losses {
			add("loss/"+name, loss)
		}
	}
	for tag, series := range want {
		if fmt.Sprint(series) != fmt.Sprint(got[tag]) {
			t.Errorf("%s: %v, want %v", tag, got[tag], series)
		}
	}
}
