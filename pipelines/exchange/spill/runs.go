package spill

import "fmt"

// sink takes the records of a stream in order. The slices are valid during the call.
type sink func(rank uint64, key, value []byte) error

// runs holds sorted streams in one temporary file. Each is a section like those
// of a spill file.
type runs struct {
	options  Options
	byHash   bool
	identity uint64
	block    *blockWriter

	file     File
	sections sectionWriter
	written  int
}

// write makes a run of what produce passes on.
func (r *runs) write(produce func(sink) error) (Section, error) {
	if r.file == nil {
		f, err := r.options.temporary()
		if err != nil {
			return Section{}, err
		}
		r.file = f
		r.sections = sectionWriter{to: f, identity: r.identity, block: r.block}
	}
	r.sections.begin(r.written)
	r.written++
	if err := produce(func(_ uint64, key, value []byte) error { return r.sections.add(key, value) }); err != nil {
		return Section{}, fmt.Errorf("write run %d: %w", r.written-1, err)
	}
	ref, err := r.sections.end()
	if err != nil {
		return Section{}, fmt.Errorf("write run %d: %w", r.written-1, err)
	}
	return Section{from: r.file, ref: ref, identity: r.identity, byHash: r.byHash, run: true}, nil
}

// close deletes the temporary file.
func (r *runs) close() error {
	if r.file == nil {
		return nil
	}
	f := r.file
	r.file = nil
	if err := f.Close(); err != nil {
		return fmt.Errorf("close temporary file: %w", err)
	}
	return nil
}

// reduce merges sections into runs until the cursors of those that are left fit
// the budget, which is for cursors alone. It takes from the front and appends at the end, so that every
// record is rewritten about equally often, and never more sections than needed.
func (r *runs) reduce(sections []Section, budget int64) ([]Section, error) {
	total := int64(0)
	for _, s := range sections {
		total += leastCost(s)
	}
	const result = 2 * (blockSize + blockHeaderSize + blockSlack) // the cost of a run
	for total > budget && len(sections) > 2 {
		if r.block == nil {
			r.block = newBlockWriter()
		}
		count, cost := 0, int64(0)
		for count < len(sections) {
			next := leastCost(sections[count])
			enough := total-cost+result <= budget || cost+next > budget
			if count >= 2 && enough {
				break
			}
			count++
			cost += next
		}
		run, err := r.write(func(emit sink) error {
			return mergeSections(sections[:count], budget, r.options.Combine, emit)
		})
		if err != nil {
			return nil, err
		}
		sections = append(sections[count:len(sections):len(sections)], run)
		total += leastCost(run) - cost
	}
	return sections, nil
}
