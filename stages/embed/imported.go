package embed

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/dataset"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/spelling"
	"sentweave/schemas/storage"
	"sentweave/stages/encoder"
	"sentweave/stages/ordered"
	"sentweave/transforms/read/vectorfile"
)

// imported are the vectors of a file that another program made. They lie on the disk as float32, so that their number
// takes no memory.
type imported struct {
	config    SourceConfig
	file      *os.File // nil until it is open
	dimension int
	rows      int64
	ids       map[xxh3.Uint128]int64 // rows by ids; nil where vectors are in the order of the texts
	first     []int64                // the place of each unit's first text among all
}

// plan implements source.
func (m *imported) plan(ctx context.Context, set *settings) ([]dataset.Input, error) {
	set.ImportColumn, set.ImportIDs = m.config.ImportColumn, m.config.ImportIDs
	file, err := dataset.FileInput(ctx, "vectors", m.config.Import)
	return []dataset.Input{file}, err
}

// open implements source. It reads the file and compares it with the texts.
func (m *imported) open(ctx context.Context, in *input) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("import %s: %w", m.config.Import, err)
		}
	}()
	object, err := storage.OpenFile(ctx, m.config.Import)
	if err != nil {
		return err
	}
	defer object.Close()
	v, err := vectorfile.Open(path.Base(m.config.Import), object, object.Size(),
		vectorfile.Options{Column: m.config.ImportColumn, IDs: m.config.ImportIDs})
	if err != nil {
		return err
	}
	total, err := m.count(ctx, in, func(encoder.Text) error { return nil })
	if err != nil {
		return err
	}
	if v.Rows >= 0 && m.config.ImportIDs == "" && v.Rows != total {
		return otherCount(v.Rows, total)
	}
	if m.file, err = os.CreateTemp("", "sentweave-vectors-"); err != nil {
		return err
	}
	if err := m.fill(ctx, v, total); err != nil {
		return err
	}
	return m.compare(ctx, in, total)
}

func otherCount(vectors, texts int64) error {
	return fmt.Errorf("it has %s for %s: in their order each text has one; --import-ids joins them by ids",
		spelling.Number(vectors, "vector"), spelling.Number(texts, "text"))
}

// count calls use with each text in the order of the units, and sets the place of the first text of each unit.
func (m *imported) count(ctx context.Context, in *input, use func(encoder.Text) error) (total int64, err error) {
	m.first = make([]int64, len(in.units))
	for unit := range in.units {
		m.first[unit] = total
		for b, err := range in.batches(ctx, unit) {
			if err != nil {
				return total, err
			}
			for _, text := range b.texts {
				if err := use(text); err != nil {
					return total, err
				}
			}
			total += int64(len(b.texts))
			b.release()
		}
	}
	return total, nil
}

// fill copies vectors. Without ids they are as many as the texts at most.
func (m *imported) fill(ctx context.Context, v vectorfile.Vectors, texts int64) error {
	ids := m.config.ImportIDs != ""
	if ids {
		m.ids = map[xxh3.Uint128]int64{}
	}
	w := bufio.NewWriterSize(m.file, 1<<20)
	var bytes []byte
	for row, err := range v.All() {
		if err == nil && m.rows%1024 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if ids {
			key := xxh3.HashString128(row.ID)
			if earlier, twice := m.ids[key]; twice {
				return fmt.Errorf("row %d: the id %q is that of row %d, too", m.rows, excerpt.Characters(row.ID, 80), earlier)
			}
			m.ids[key] = m.rows
		} else if m.rows >= texts {
			return fmt.Errorf("it has more vectors than there are texts, %d", texts)
		}
		bytes = bytes[:0]
		for _, x := range row.Vector {
			bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(x))
		}
		if _, err := w.Write(bytes); err != nil {
			return storage.WayOut(err, ", or name a folder on another disk as $TMPDIR")
		}
		m.dimension = len(row.Vector)
		m.rows++
	}
	return storage.WayOut(w.Flush(), ", or name a folder on another disk as $TMPDIR")
}

// compare returns an error if a text has no vector.
func (m *imported) compare(ctx context.Context, in *input, total int64) error {
	if m.ids == nil {
		if m.rows != total {
			return otherCount(m.rows, total)
		}
		return nil
	}
	missing, first := 0, encoder.Text{}
	_, err := m.count(ctx, in, func(text encoder.Text) error {
		if _, ok := m.ids[xxh3.HashString128(text.ID)]; !ok {
			if missing == 0 {
				first = text
			}
			missing++
		}
		return nil
	})
	if err == nil && missing > 0 {
		err = fmt.Errorf("%d of %d texts have no vector, the first has the id %q: %q", missing, total, first.ID,
			excerpt.Characters(first.Text, 80))
	}
	return err
}

// vectors implements source.
func (m *imported) vectors(ctx context.Context, batches iter.Seq2[*batch, error]) iter.Seq2[*batch, error] {
	return ordered.Map(ctx, 1, batches, func(_ context.Context, b *batch) (*batch, error) {
		width := int64(4 * m.dimension)
		bytes := make([]byte, width)
		b.dimension, b.places = m.dimension, make([]int, len(b.texts))
		for i, text := range b.texts {
			row := m.first[b.unit] + b.place + int64(i)
			if m.ids != nil {
				row = m.ids[xxh3.HashString128(text.ID)]
			}
			if _, err := m.file.ReadAt(bytes, row*width); err != nil {
				return nil, err
			}
			for k := 0; k < len(bytes); k += 4 {
				b.vectors = append(b.vectors, math.Float32frombits(binary.LittleEndian.Uint32(bytes[k:])))
			}
			b.places[i] = i
		}
		return b, nil
	})
}

// Close implements source.
func (m *imported) Close() error {
	if m.file == nil {
		return nil
	}
	return errors.Join(m.file.Close(), os.Remove(m.file.Name()))
}
