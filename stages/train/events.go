package train

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"time"

	"sentweave/schemas/storage/workspace"
)

// events writes scalars as TensorBoard reads them: a TFRecord file (length, masked
// CRC-32C of it, data, masked CRC-32C of that) of Event messages in the encoding of
// protocol buffers (tensorflow/core/util/event.proto and framework/summary.proto).
// They are few and fixed, so they are encoded here by hand.
type events struct {
	out *workspace.Log
	now func() time.Time
}

// Numbers of fields and values in the two messages.
const (
	eventWallTime, eventStep, eventVersion, eventSummary, eventSession = 1, 2, 3, 5, 7

	summaryValue           = 1
	valueTag, valueSimple  = 1, 2
	sessionStatus          = 1
	sessionStart           = 1
	wireVarint, wireFixed8 = 0, 1
	wireBytes, wireFixed4  = 2, 5
)

// openEvents starts a new file in the folder. Its first step makes TensorBoard
// forget what earlier files tell of that step and later ones: the steps that a
// killed run took after its last checkpoint.
func openEvents(w *workspace.Workspace, folder string, step int64, clock func() time.Time) (*events, error) {
	if err := w.MakeFolder(folder); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	// TensorBoard reads files in the order of their names. Old ones may have been deleted.
	number := 0
	for _, entry := range entries {
		var n int
		if _, err := fmt.Sscanf(entry.Name(), "events.out.tfevents.%d.sentweave", &n); err == nil {
			number = max(number, n+1)
		}
	}
	stream, err := w.Append(filepath.Join(folder, fmt.Sprintf("events.out.tfevents.%010d.sentweave", number)))
	if err != nil {
		return nil, err
	}
	e := &events{stream, clock}
	version := appendBytes(nil, eventVersion, []byte("brain.Event:2"))
	session := appendBytes(nil, eventSession, appendVarint(nil, sessionStatus, sessionStart))
	if err := errors.Join(e.write(0, version), e.write(step, session)); err != nil {
		return nil, errors.Join(err, stream.Close())
	}
	return e, nil
}

// scalar is a value with its name.
type scalar struct {
	tag   string
	value float64
}

// scalars writes the values of a step.
func (e *events) scalars(step int64, list []scalar) error {
	var summary []byte
	for _, s := range list {
		value := appendBytes(nil, valueTag, []byte(s.tag))
		value = binary.AppendUvarint(value, valueSimple<<3|wireFixed4)
		value = binary.LittleEndian.AppendUint32(value, math.Float32bits(float32(s.value)))
		summary = appendBytes(summary, summaryValue, value)
	}
	return e.write(step, appendBytes(nil, eventSummary, summary))
}

func (e *events) write(step int64, what []byte) error {
	event := binary.AppendUvarint(nil, eventWallTime<<3|wireFixed8)
	event = binary.LittleEndian.AppendUint64(event, math.Float64bits(float64(e.now().UnixMicro())/1e6))
	event = appendVarint(event, eventStep, uint64(step))
	event = append(event, what...)
	if _, err := e.out.Write(tfRecord(event)); err != nil {
		return fmt.Errorf("write %s: %w", e.out.Path(), wayOut(err))
	}
	return nil
}

func appendVarint(dst []byte, field int, value uint64) []byte {
	dst = binary.AppendUvarint(dst, uint64(field)<<3|wireVarint)
	return binary.AppendUvarint(dst, value)
}

func appendBytes(dst []byte, field int, value []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(field)<<3|wireBytes)
	dst = binary.AppendUvarint(dst, uint64(len(value)))
	return append(dst, value...)
}

// tfRecord frames data (tensorflow/core/lib/io/record_writer.h).
func tfRecord(data []byte) []byte {
	record := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	record = binary.LittleEndian.AppendUint32(record, maskedCRC(record))
	record = append(record, data...)
	return binary.LittleEndian.AppendUint32(record, maskedCRC(data))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedCRC is rotated and shifted, since the CRC of data that hold CRCs is weak.
func maskedCRC(data []byte) uint32 {
	c := crc32.Checksum(data, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}
