package parquetfiletest

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Attack is a file that takes far more memory than it has bytes if it is believed.
type Attack struct {
	Name string
	File []byte
}

// memory gives the four columns of a translation memory: text as it is given, the
// others with one short value in a dictionary.
func memory(t testing.TB, rows int64, text Chunk) []Chunk {
	text.Name = "text"
	chunks := []Chunk{text}
	for _, c := range [][2]string{{"translation", "hola"}, {"source_language", "eng"}, {"target_language", "spa"}} {
		chunks = append(chunks, Chunk{Name: c[0], Pages: constant(t, rows, []byte(c[1]))})
	}
	return chunks
}

// constant gives pages that hold one value so many times.
func constant(t testing.TB, rows int64, value []byte) []byte {
	dictionary := Texts(string(value))
	pages := Dictionary(t, dictionary, len(dictionary), 1)
	for ; rows > 0; rows -= 1 << 20 {
		n := min(rows, 1<<20)
		indexes := append([]byte{1}, zeroLevels(uint64(n))...)
		pages = append(pages, Page(t, indexes, len(indexes), int32(n), format.RLEDictionary)...)
	}
	return pages
}

func chunkOf(pages []byte) Chunk { return Chunk{Pages: pages} }

// Attacks gives files with the columns of a translation memory.
func Attacks(t testing.TB) []Attack {
	var attacks []Attack
	add := func(name string, file []byte) { attacks = append(attacks, Attack{name, file}) }
	length := func(n int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }

	const huge = 700_000_000
	values := Page(t, zeros(t, length(huge), huge), huge+4, 1, format.Plain)
	add("two values of 700 MB", File(t, 2, memory(t, 2, Chunk{Codec: format.Zstd, Pages: append(bytes.Clone(values), values...)}), nil))
	add("a page that is longer than it says",
		File(t, 1, memory(t, 1, Chunk{Codec: format.Zstd, Pages: Page(t, zeros(t, length(huge), huge), 100, 1, format.Plain)}), nil))
	add("a frame that claims 60 GB",
		File(t, 1, memory(t, 1, Chunk{Codec: format.Zstd, Pages: Page(t, claim(60<<30), 1000, 1, format.Plain)}), nil))
	add("LZ4 that ends too early",
		File(t, 1, memory(t, 1, Chunk{Codec: format.Lz4Raw, Pages: Page(t, []byte{0xf0, 0xff}, 1000, 1, format.Plain)}), nil))

	big := []byte(strings.Repeat("text ", 200_000))
	add("a dictionary of 1 MB for 3 million rows",
		File(t, 3_000_000, memory(t, 3_000_000, Chunk{Codec: format.Zstd, Pages: zipped(t, constant(t, 3_000_000, big))}), nil))
	random := make([]byte, 1<<20)
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(random); i++ {
		random[i] = 'a' + byte(r.IntN(26))
	}
	add("a random dictionary of 1 MB for 3 million rows",
		File(t, 3_000_000, memory(t, 3_000_000, chunkOf(constant(t, 3_000_000, random))), nil))
	add("all columns of 100 MB", File(t, 1, wide(t, 100_000_000), nil))

	add("values that share 1 MB", File(t, 1_000_000, memory(t, 1_000_000, chunkOf(shared(t, 1_000_000, 1<<20))), nil))
	add("a run of 2 billion indexes", File(t, 10, memory(t, 10, chunkOf(append(Dictionary(t, Texts("x"), 5, 1),
		Page(t, append([]byte{1}, zeroLevels(math.MaxInt32)...), 7, 10, format.RLEDictionary)...))), nil))
	add("a page of 2 billion values", File(t, math.MaxInt32, memory(t, 10, chunkOf(append(Dictionary(t, Texts("x"), 5, 1),
		Page(t, append([]byte{1}, zeroLevels(math.MaxInt32)...), 7, math.MaxInt32, format.RLEDictionary)...))), nil))
	levels := zeroLevels(math.MaxInt32)
	levels = append(length(len(levels)), levels...)
	add("a run of 2 billion levels",
		File(t, 10, memory(t, 10, Chunk{Optional: true, Pages: Page(t, levels, len(levels), 10, format.Plain)}), nil))
	delta := binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, 128), 4), math.MaxInt32)
	delta = append(delta, 0)
	for _, encoding := range []format.Encoding{format.DeltaLengthByteArray, format.DeltaByteArray} {
		add("2 billion lengths, "+encoding.String(), File(t, 10, memory(t, 10, chunkOf(Page(t, delta, len(delta), 10, encoding))), nil))
	}
	add("a dictionary of 2 billion values", File(t, 1, memory(t, 1, chunkOf(Dictionary(t, Texts("x"), 5, math.MaxInt32))), nil))
	add("a page of 2 GB", File(t, 1,
		memory(t, 1, Chunk{Codec: format.Snappy, Pages: Page(t, []byte("\xff\xff\xff\xff\x07"), math.MaxInt32, 1, format.Plain)}), nil))
	add("values of 2 GB", File(t, 1, append(memory(t, 1, chunkOf(Page(t, Texts("x"), 5, 1, format.Plain))),
		Chunk{Name: "key", Type: format.FixedLenByteArray, Length: math.MaxInt32, Pages: Page(t, nil, 0, 1, format.ByteStreamSplit)}), nil))

	good := chunkOf(Page(t, Texts("hello"), 9, 1, format.Plain))
	head := marshal(t, &format.PageHeader{Type: format.DataPage, DataPageHeader: thrift.Null[format.DataPageHeader]{Valid: true,
		V: format.DataPageHeader{NumValues: 1, Statistics: format.Statistics{MinValue: []byte("aaaa")}}}})
	head = bytes.Replace(head, []byte("\x04aaaa"), []byte("\xff\xff\xff\xff\x07aaaa"), 1)
	add("a header with a bound of 2 GB", File(t, 1, memory(t, 1, chunkOf(head)), nil))
	add("a footer of 4 GB", append(bytes.Clone(File(t, 1, memory(t, 1, good), nil)[:100]), "\xff\xff\xff\xffPAR1"...))
	metadata := marshal(t, &format.FileMetaData{Version: 1, Schema: []format.SchemaElement{{Name: "root"}}})
	add("a list of 2 billion row groups", footer([]byte("PAR1"),
		bytes.Replace(metadata, []byte("\x19\x0c"), []byte("\x19\xfc\xff\xff\xff\xff\x07"), 1)))
	// A list of structs without fields takes a byte an element in the file.
	columns := append([]byte("\x19\x1c\x19\xfc"), binary.AppendUvarint(nil, 30<<20)...)
	add("30 million columns of a byte",
		footer([]byte("PAR1"), append(append([]byte("\x15\x02\x19\x1c\x48\x04root\x00\x16\x02"), columns...), make([]byte, 30<<20)...)))
	add("structs 20 million deep", footer([]byte("PAR1"), bytes.Repeat([]byte{0xfc}, 20<<20)))
	for _, deep := range []struct {
		name        string
		first, each string
	}{{"lists", "\x15\x04\xa9", "\x19"}, {"sets", "\x15\x04\xaa", "\x1a"}, {"maps", "\x15\x04\xab", "\x01\xbb"}} {
		thrift := append([]byte(deep.first), bytes.Repeat([]byte(deep.each), 8<<20/len(deep.each))...)
		add(deep.name+" 8 MB deep in the footer", footer([]byte("PAR1"), thrift))
		add(deep.name+" 8 MB deep in a page's header", File(t, 1, memory(t, 1, chunkOf(thrift)), nil))
	}
	add("groups 16 thousand deep", File(t, 1, memory(t, 1, good), func(m *format.FileMetaData) {
		root := format.SchemaElement{Name: strings.Repeat("name", 20), NumChildren: thrift.Null[int32]{Valid: true, V: 1}}
		var deep []format.SchemaElement
		for range 16_000 {
			deep = append(deep, root)
		}
		m.Schema = append(deep, m.Schema...)
	}))
	add("names of 30 MB in 500 columns", File(t, 1, memory(t, 1, good), func(m *format.FileMetaData) {
		group := format.SchemaElement{Name: strings.Repeat("name", 7<<20), NumChildren: thrift.Null[int32]{Valid: true, V: 500}}
		m.Schema = []format.SchemaElement{{Name: "root", NumChildren: thrift.Null[int32]{Valid: true, V: 1}}, group}
		for range 500 {
			m.Schema = append(m.Schema, format.SchemaElement{Name: "x", Type: thrift.Null[format.Type]{Valid: true, V: format.ByteArray}})
		}
	}))
	add("a chunk in 3 thousand row groups",
		File(t, 3_000<<20, memory(t, 1<<20, chunkOf(constant(t, 1<<20, big))), func(m *format.FileMetaData) {
			for range 2_999 {
				m.RowGroups = append(m.RowGroups, m.RowGroups[0])
			}
			for i := range m.RowGroups {
				m.RowGroups[i].Ordinal = int16(i)
			}
		}))
	return attacks
}

// claim gives a frame of zstd that says that its content is so long.
func claim(size uint64) []byte {
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0} // chunkOf segment, eight bytes of length
	frame = binary.LittleEndian.AppendUint64(frame, size)
	return append(frame, 0x03, 0x00, 0x00, 'x') // a last block: a run of no byte
}

// zipped compresses the bodies of pages that Page and Dictionary gave.
func zipped(t testing.TB, pages []byte) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	var compressed []byte
	protocol := thrift.CompactProtocol{}
	for len(pages) > 0 {
		var h format.PageHeader
		r := protocol.NewReaderFromBytes(pages)
		if err := thrift.NewDecoder(r).Decode(&h); err != nil {
			t.Fatal(err)
		}
		body := pages[r.BytesRead():][:h.CompressedPageSize]
		pages = pages[r.BytesRead()+len(body):]
		body = w.EncodeAll(body, nil)
		h.CompressedPageSize = int32(len(body))
		compressed = append(append(compressed, marshal(t, &h)...), body...)
	}
	return compressed
}

// wide gives as many columns of large values as a memory may have.
func wide(t testing.TB, size int) []Chunk {
	body := zeros(t, binary.LittleEndian.AppendUint32(nil, uint32(size)), size)
	var chunks []Chunk
	for _, name := range []string{"text", "translation", "source_language", "target_language", "key", "engine", "model", "options_xxh3",
		"status", "reason"} {
		chunks = append(chunks, Chunk{Name: name, Codec: format.Zstd, Pages: Page(t, body, size+4, 1, format.Plain)})
	}
	return chunks
}

// shared gives a page of values of which each is the same as the one before.
func shared(t testing.TB, values, size int) []byte {
	// The numbers of DELTA_BINARY_PACKED: a first one, and others that are equal.
	numbers := func(first, next int) []byte {
		data := binary.AppendUvarint(nil, 128)
		data = binary.AppendUvarint(data, 4)
		data = binary.AppendUvarint(data, uint64(values))
		data = binary.AppendVarint(data, int64(first))
		minimum := min(next-first, 0)
		data = binary.AppendVarint(data, int64(minimum))
		data = append(data, 32, 32, 32, 32)
		data = binary.LittleEndian.AppendUint32(data, uint32(next-first-minimum))
		for range 127 {
			data = binary.LittleEndian.AppendUint32(data, uint32(-minimum))
		}
		for range (values - 2) / 128 {
			data = append(data, 0, 0, 0, 0, 0) // no difference, in no bits
		}
		return data
	}
	body := append(numbers(0, size), numbers(size, 0)...)
	body = append(body, make([]byte, size)...)
	return Page(t, body, len(body), int32(values), format.DeltaByteArray)
}
