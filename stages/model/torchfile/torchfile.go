// Package torchfile reads the tensors of a file of torch.save, such as pytorch_model.bin: an archive of ZIP with a pickle and a
// member for each storage, as torch writes it since version 1.6.
//
// A pickle is a program. This package runs none: it knows only the opcodes and names by which a dict of tensors is written, and
// refuses any other one by its name before anything else is read. All sizes, strides and offsets are checked against the members of
// the archive. Memory is that of the pickle and of the tensor that is read.
package torchfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"sentweave/schemas/storage"
	"sentweave/stages/model/safetensors"
)

// Bounds of what is read: XLM-R's pickle has 60 KB and 400 tensors.
const (
	maxPickle     = 64 << 20
	maxTensors    = 1 << 16
	maxDimensions = 16
)

// storages are the classes of storages, with the type of their elements and its bytes.
var storages = map[global]struct {
	dtype safetensors.DType
	size  int64
}{
	"torch.FloatStorage": {safetensors.F32, 4}, "torch.HalfStorage": {safetensors.F16, 2}, "torch.BFloat16Storage": {safetensors.BF16, 2},
	"torch.DoubleStorage": {safetensors.F64, 8}, "torch.LongStorage": {safetensors.I64, 8}, "torch.IntStorage": {"I32", 4},
	"torch.ShortStorage": {"I16", 2}, "torch.CharStorage": {"I8", 1}, "torch.ByteStorage": {safetensors.U8, 1},
	"torch.BoolStorage": {"BOOL", 1},
}

// File is an open file. Its tensors have the types and shapes that those of safetensors have.
type File struct {
	// Tensors are in the order of their names.
	Tensors []safetensors.Tensor

	file    content
	strides map[string][]int64 // of tensors that are not contiguous
}

// content is that of a file on a disk, or in a test in memory.
type content interface {
	io.ReaderAt
	io.Closer
	Name() string
}

// region is the data of a storage: where they begin in the file, and how many elements they are.
type region struct {
	class            global
	offset, elements int64
}

// strided is a tensor of the pickle.
type strided struct {
	region         region
	offset         int64 // in elements
	shape, strides []int64
	size, last     int64 // in elements, and the place of the last one
	contiguous     bool
}

// Open opens a file and checks all tensors of it.
func Open(path string) (*File, error) {
	file, err := storage.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	f := &File{file: file, strides: map[string][]int64{}}
	info, err := file.Stat()
	if err == nil {
		err = f.read(file, info.Size())
	}
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// read reads the pickle of an archive of that size.
func (f *File) read(r io.ReaderAt, size int64) error {
	var beginning [2]byte
	if _, err := r.ReadAt(beginning[:], 0); err == nil && beginning[0] == 0x80 {
		return errors.New("it is of torch.save's format before version 1.6, which is not supported: load it with transformers, and save_pretrained(folder, safe_serialization=True) writes model.safetensors")
	}
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return fmt.Errorf("no archive of torch.save, or it is cut: %w", err)
	}
	members := map[string]*zip.File{}
	root := ""
	for _, m := range archive.File {
		if members[m.Name] != nil {
			return fmt.Errorf("the archive has %.100q twice", m.Name)
		}
		members[m.Name] = m
		if folder, name := path.Split(m.Name); name == "data.pkl" && strings.Count(folder, "/") <= 1 && root == "" {
			root = folder
		}
	}
	if order := members[root+"byteorder"]; order != nil {
		if value, err := read(order, 16); err != nil || string(value) != "little" {
			return errors.Join(err, fmt.Errorf("its byteorder is %.16q, only little is supported", value))
		}
	}
	pickle := members[root+"data.pkl"]
	if pickle == nil {
		return errors.New("no archive of torch.save: it has no data.pkl")
	}
	program, err := read(pickle, maxPickle)
	if err != nil {
		return fmt.Errorf("data.pkl: %w", err)
	}
	m := machine{data: program, rebuild: rebuild}
	m.storage = func(id tuple) (any, error) { return regionOf(id, members, root, size) }
	value, err := m.run()
	if err != nil {
		return fmt.Errorf("data.pkl: %w", err)
	}
	return f.take(value)
}

// read returns the content of a member, of at most so many bytes.
func read(m *zip.File, limit int64) ([]byte, error) {
	if m.UncompressedSize64 > uint64(limit) {
		return nil, fmt.Errorf("it has %d bytes, more than %d", m.UncompressedSize64, limit)
	}
	r, err := m.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, limit))
}

// regionOf finds the data of a storage: ("storage", class, key, device, elements).
func regionOf(id tuple, members map[string]*zip.File, root string, size int64) (any, error) {
	if len(id) != 5 || id[0] != "storage" {
		return nil, errForm
	}
	class, okClass := id[1].(global)
	key, okKey := id[2].(string)
	elements, okElements := id[4].(int64)
	kind, known := storages[class]
	if !okClass || !okKey || !okElements || !known {
		return nil, errForm
	}
	m := members[root+"data/"+key]
	if m == nil {
		return nil, fmt.Errorf("the archive has no storage %.100q: it is cut", key)
	}
	if m.Method != zip.Store {
		return nil, fmt.Errorf("the storage %s is compressed, which torch.save does not do", key)
	}
	if elements < 0 || elements > math.MaxInt64/kind.size || uint64(elements*kind.size) > m.UncompressedSize64 {
		return nil, fmt.Errorf("the storage %s has %d bytes, too few for %d elements", key, m.UncompressedSize64, elements)
	}
	offset, err := m.DataOffset()
	if err != nil {
		return nil, fmt.Errorf("the storage %s: %w", key, err)
	}
	if offset > size || elements*kind.size > size-offset {
		return nil, fmt.Errorf("the storage %s does not lie in the file: it is cut", key)
	}
	return region{class, offset, elements}, nil
}

// rebuild makes a tensor of (storage, offset, shape, strides, requires_grad, hooks) and what newer versions add.
func rebuild(arguments tuple) (any, error) {
	if len(arguments) < 6 {
		return nil, errForm
	}
	var t strided
	var ok [4]bool
	t.region, ok[0] = arguments[0].(region)
	t.offset, ok[1] = arguments[1].(int64)
	t.shape, ok[2] = numbers(arguments[2])
	t.strides, ok[3] = numbers(arguments[3])
	if ok != [4]bool{true, true, true, true} || len(t.shape) != len(t.strides) || len(t.shape) > maxDimensions {
		return nil, errForm
	}
	outside := fmt.Errorf("a tensor of shape %v, strides %v and offset %d does not lie in its storage of %d elements", t.shape, t.strides,
		t.offset, t.region.elements)
	if t.offset < 0 || t.offset > t.region.elements {
		return nil, outside
	}
	t.size, t.contiguous = 1, true
	if len(t.shape) > 0 && slices.Min(t.shape) == 0 {
		t.size = 0
		return t, nil
	}
	for i := len(t.shape) - 1; i >= 0; i-- {
		n, stride := t.shape[i], t.strides[i]
		if n < 0 || stride < 0 || t.size > t.region.elements/max(n, 1) { // also one whose elements are one element many times
			return nil, outside
		}
		t.contiguous = t.contiguous && (n <= 1 || stride == t.size)
		t.size *= n
		if n > 1 {
			if stride > t.region.elements/(n-1) {
				return nil, outside
			}
			t.last += (n - 1) * stride // of at most 16 dimensions, each below the elements
			if t.last > t.region.elements {
				return nil, outside
			}
		}
	}
	if t.last >= t.region.elements-t.offset {
		return nil, outside
	}
	return t, nil
}

func numbers(value any) (list []int64, ok bool) {
	t, ok := value.(tuple)
	for _, item := range t {
		n, isNumber := item.(int64)
		list, ok = append(list, n), ok && isNumber
	}
	return list, ok
}

// take takes the tensors of the value of a pickle.
func (f *File) take(value any) error {
	d, ok := value.(*dict)
	if !ok {
		return errors.New("data.pkl holds no dict of tensors: save the model's state_dict")
	}
	if len(d.names) > maxTensors {
		return fmt.Errorf("data.pkl has %d tensors, more than %d", len(d.names), maxTensors)
	}
	for _, name := range d.names {
		t, ok := d.values[name].(strided)
		if !ok {
			return fmt.Errorf("%.100q of data.pkl is not a tensor: save the model's state_dict", name)
		}
		kind := storages[t.region.class]
		if !t.contiguous {
			f.strides[name] = append(slices.Clone(t.strides), t.last)
		}
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: name, DType: kind.dtype, Shape: slices.Clone(t.shape),
			Offset: t.region.offset + t.offset*kind.size, Bytes: t.size * kind.size})
	}
	slices.SortFunc(f.Tensors, func(a, b safetensors.Tensor) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// Read reads the data of a tensor into dst, which is grown where it is too small, and returns it: elements in little endian, in
// row-major order, whatever the order is in the file.
func (f *File) Read(dst []byte, t safetensors.Tensor) ([]byte, error) {
	dst = slices.Grow(dst[:0], int(t.Bytes))[:t.Bytes]
	layout := f.strides[t.Name]
	source := dst
	size := int64(0)
	if layout != nil {
		size = t.Bytes / product(t.Shape)
		source = make([]byte, (layout[len(t.Shape)]+1)*size)
	}
	if _, err := f.file.ReadAt(source, t.Offset); err != nil {
		if errors.Is(err, io.EOF) { // Open found the data there
			err = errors.New("the file was cut since it was opened")
		}
		return nil, fmt.Errorf("%s: tensor %s: %w", f.file.Name(), t.Name, err)
	}
	if layout != nil {
		gather(bytes.NewBuffer(dst[:0]), source, t.Shape, layout, size)
	}
	return dst, nil
}

func product(shape []int64) int64 {
	n := int64(1)
	for _, size := range shape {
		n *= size
	}
	return n
}

// gather writes the elements of a tensor in row-major order.
func gather(dst *bytes.Buffer, src []byte, shape, strides []int64, size int64) {
	if len(shape) == 0 {
		dst.Write(src[:size])
		return
	}
	for i := range shape[0] {
		gather(dst, src[i*strides[0]*size:], shape[1:], strides[1:], size)
	}
}
