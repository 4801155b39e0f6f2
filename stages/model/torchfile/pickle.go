package torchfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Values of a pickle are nil, bool, int64, string, tuple, *list, *dict, global, storage and strided.
type (
	tuple []any
	list  struct{ items []any }
	// dict has the values of texts; others are left out, since no name of a weight is one.
	dict struct {
		names  []string
		values map[string]any
	}
	// global is a class or a function, by its name.
	global string
)

const (
	orderedDict   = global("collections.OrderedDict")
	rebuildTensor = global("torch._utils._rebuild_tensor_v2")
)

// machine runs a pickle without running what a pickle may name: it knows the opcodes that make lists, dicts and texts, and two
// functions, which it computes by itself.
type machine struct {
	data    []byte
	stack   []any
	marks   []int
	memo    map[uint32]any
	storage func(id tuple) (any, error)
	rebuild func(arguments tuple) (any, error)
}

var errCut = errors.New("it is cut")

// errForm is the error of a pickle that another program than torch.save has written.
var errForm = errors.New("it is not a pickle of torch.save: its stack does not hold what an opcode takes")

// run returns the value of the pickle.
func (m *machine) run() (any, error) {
	m.memo = map[uint32]any{}
	for {
		op, err := m.take(1)
		if err != nil {
			return nil, err
		}
		if op[0] == '.' {
			return m.pop()
		}
		if err := m.step(op[0]); err != nil {
			return nil, err
		}
	}
}

// step does an opcode.
func (m *machine) step(op byte) error {
	switch op {
	case '(':
		m.marks = append(m.marks, len(m.stack))
	case 'N':
		m.push(nil)
	case 0x88, 0x89:
		m.push(op == 0x88)
	case ')':
		m.push(tuple{})
	case ']':
		m.push(&list{})
	case '}':
		m.push(&dict{values: map[string]any{}})
	case 'K', 'M', 'J', 0x8a:
		return m.integer(op)
	case 'X', 0x8c, 'c', 0x93, 'i':
		return m.text(op)
	case 'q', 'r', 0x94, 'h', 'j':
		return m.remember(op)
	case 0x80: // the version
		_, err := m.take(1)
		return err
	case 0x95: // the size of a frame
		_, err := m.take(8)
		return err
	case 0x85, 0x86, 0x87:
		n := len(m.stack) - int(op-0x84)
		if n < m.floor() {
			return errForm
		}
		m.collect(n)
	case 't':
		n, err := m.unmark()
		if err == nil {
			m.collect(n)
		}
		return err
	case 'a', 'e', 's', 'u', 'b':
		return m.fill(op)
	case 'Q':
		id, err := m.pop()
		if err != nil {
			return err
		}
		t, ok := id.(tuple)
		if !ok {
			return errForm
		}
		return m.made(m.storage(t))
	case 'R':
		return m.reduce()
	default:
		return fmt.Errorf("its opcode 0x%02x is none that torch.save writes for tensors; nothing of it was run", op)
	}
	return nil
}

// take returns the next n bytes.
func (m *machine) take(n int) ([]byte, error) {
	if n > len(m.data) {
		return nil, errCut
	}
	taken := m.data[:n]
	m.data = m.data[n:]
	return taken, nil
}

// number returns the next n bytes as a number in little endian.
func (m *machine) number(n int) (uint64, error) {
	var buffer [8]byte
	taken, err := m.take(n)
	copy(buffer[:], taken)
	return binary.LittleEndian.Uint64(buffer[:]), err
}

func (m *machine) integer(op byte) error {
	size := map[byte]int{'K': 1, 'M': 2, 'J': 4, 0x8a: 1}[op]
	value, err := m.number(size)
	if err != nil {
		return err
	}
	switch op {
	case 'J':
		value = uint64(int32(value))
	case 0x8a:
		size := int(value)
		if size > 8 {
			return errors.New("it has a number of more than 64 bits")
		}
		if value, err = m.number(size); err != nil {
			return err
		}
		if size > 0 {
			unused := 64 - 8*size
			value = uint64(int64(value) << unused >> unused)
		}
	}
	m.push(int64(value))
	return nil
}

// text reads a text, or the name of a global, which may be none but those of tensors.
func (m *machine) text(op byte) error {
	switch op {
	case 'X', 0x8c:
		size, err := m.number(map[byte]int{'X': 4, 0x8c: 1}[op])
		if err != nil {
			return err
		}
		if size > uint64(len(m.data)) {
			return errCut
		}
		text, err := m.take(int(size))
		if err == nil && !utf8.Valid(text) {
			err = errors.New("it has a text that is not UTF-8")
		}
		m.push(string(text))
		return err
	case 0x93:
		name, err := m.pop()
		if err != nil {
			return err
		}
		module, err := m.pop()
		if err != nil {
			return err
		}
		attribute, okName := name.(string)
		file, okModule := module.(string)
		if !okName || !okModule {
			return errForm
		}
		return m.global(file + "." + attribute)
	}
	lines := strings.SplitN(string(m.data[:min(len(m.data), 1<<10)]), "\n", 3)
	if len(lines) < 3 {
		return errCut
	}
	m.data = m.data[len(lines[0])+len(lines[1])+2:]
	err := m.global(lines[0] + "." + lines[1])
	if err == nil && op == 'i' { // which would call the global at once
		err = errForm
	}
	return err
}

func (m *machine) global(name string) error {
	if rest, ok := strings.CutPrefix(name, "__builtin__."); ok { // as pickles of old versions name it
		name = "builtins." + rest
	}
	if g := global(name); g == orderedDict || g == rebuildTensor || storages[g].size > 0 {
		m.push(g)
		return nil
	}
	return fmt.Errorf("it names %.100s, and only tensors are read: nothing of it was run; ask its authors for model.safetensors", name)
}

// remember keeps the last value by a number, or gives one that is kept.
func (m *machine) remember(op byte) error {
	place := uint64(len(m.memo))
	if op != 0x94 {
		var err error
		if place, err = m.number(map[byte]int{'q': 1, 'h': 1, 'r': 4, 'j': 4}[op]); err != nil {
			return err
		}
	}
	if op == 'h' || op == 'j' {
		value, ok := m.memo[uint32(place)]
		if !ok {
			return errForm
		}
		m.push(value)
		return nil
	}
	if len(m.stack) == 0 {
		return errForm
	}
	m.memo[uint32(place)] = m.stack[len(m.stack)-1]
	return nil
}

// fill puts values into a list or a dict, or gives an object its state, which no tensor has need of.
func (m *machine) fill(op byte) error {
	single := map[byte]int{'a': 1, 's': 2, 'b': 1}[op]
	n := len(m.stack) - single
	if single == 0 {
		var err error
		if n, err = m.unmark(); err != nil {
			return err
		}
	}
	if n-1 < m.floor() {
		return errForm
	}
	items := m.stack[n:]
	m.stack = m.stack[:n]
	target := m.stack[n-1]
	if op == 'b' {
		if _, ok := target.(*dict); !ok {
			return errForm
		}
		return nil
	}
	if l, ok := target.(*list); ok && (op == 'a' || op == 'e') {
		l.items = append(l.items, items...)
		return nil
	}
	d, ok := target.(*dict)
	if !ok || op == 'a' || op == 'e' || len(items)%2 != 0 {
		return errForm
	}
	for i := 0; i < len(items); i += 2 {
		name, ok := items[i].(string)
		if !ok {
			continue
		}
		if _, ok := d.values[name]; !ok {
			d.names = append(d.names, name)
		}
		d.values[name] = items[i+1]
	}
	return nil
}

// reduce computes a function of the arguments above it.
func (m *machine) reduce() error {
	arguments, err := m.pop()
	if err != nil {
		return err
	}
	function, err := m.pop()
	if err != nil {
		return err
	}
	switch t, ok := arguments.(tuple); {
	case ok && function == orderedDict && len(t) == 0:
		m.push(&dict{values: map[string]any{}})
		return nil
	case ok && function == rebuildTensor:
		return m.made(m.rebuild(t))
	}
	return errForm
}

func (m *machine) made(value any, err error) error {
	m.push(value)
	return err
}

func (m *machine) push(value any) { m.stack = append(m.stack, value) }

// floor is the place on the stack below which nothing may be taken.
func (m *machine) floor() int {
	if len(m.marks) == 0 {
		return 0
	}
	return m.marks[len(m.marks)-1]
}

func (m *machine) pop() (any, error) {
	last := len(m.stack) - 1
	if last < m.floor() {
		return nil, errForm
	}
	value := m.stack[last]
	m.stack = m.stack[:last]
	return value, nil
}

// unmark returns the place of the last mark, which is taken away.
func (m *machine) unmark() (int, error) {
	if len(m.marks) == 0 {
		return 0, errForm
	}
	n := m.floor()
	m.marks = m.marks[:len(m.marks)-1]
	return n, nil
}

// collect makes the values from a place on one tuple.
func (m *machine) collect(n int) {
	items := append(tuple{}, m.stack[n:]...)
	m.stack = append(m.stack[:n], items)
}
