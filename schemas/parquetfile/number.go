package parquetfile

import (
	"fmt"
	"math"
	"math/big"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// maxScale is the largest scale of a decimal that is read. DuckDB's and Spark's go to 38, Arrow's to 76.
const maxScale = 76

// ToNumber makes a number of a value, which is not null.
type ToNumber func(parquet.Value) float64

// Numbers returns how the values of a column become numbers, by what they mean and not by how they
// are stored: decimals of any physical type with their scale, signed and unsigned integers, and floats of 16, 32 and 64
// bits. A number that no float64 is becomes the nearest. The error says what else the column
// holds, such as dates.
func (f *File) Numbers(column int) (ToNumber, error) {
	l := f.leaves[column]
	unscaled := func(scale int32) (ToNumber, error) {
		if scale < 0 || scale > maxScale {
			return nil, fmt.Errorf("decimals with a scale of %d, which must be 0 to %d", scale, maxScale)
		}
		return decimals(l.kind, scale)
	}
	switch t := l.logical.(type) {
	case nil:
	case *format.DecimalType:
		return unscaled(t.Scale)
	case *format.IntType:
		return integers(l.kind, t.IsSigned)
	case *format.Float16Type:
		if l.kind != format.FixedLenByteArray || l.length != 2 {
			return nil, fmt.Errorf("values of type %v called FLOAT16", l.kind)
		}
		return func(v parquet.Value) float64 { return half(v.ByteArray()) }, nil
	default:
		return nil, fmt.Errorf("values of type %v", t)
	}
	if l.converted.Valid {
		switch c := l.converted.V; {
		case c == deprecated.Decimal:
			return unscaled(l.scale)
		case c >= deprecated.Uint8 && c <= deprecated.Uint64:
			return integers(l.kind, false)
		case c >= deprecated.Int8 && c <= deprecated.Int64:
			return integers(l.kind, true)
		default:
			return nil, fmt.Errorf("values of type %v", c)
		}
	}
	switch l.kind {
	case format.Float:
		return func(v parquet.Value) float64 { return float64(v.Float()) }, nil
	case format.Double:
		return func(v parquet.Value) float64 { return v.Double() }, nil
	}
	return integers(l.kind, true)
}

// IsText says that the values of a column are bytes that stand for a text, as far as the file tells.
func (f *File) IsText(column int) bool {
	l := f.leaves[column]
	if l.kind != format.ByteArray || l.converted.Valid && l.converted.V == deprecated.Decimal {
		return false
	}
	switch l.logical.(type) {
	case nil, *format.StringType, *format.EnumType, *format.JsonType:
		return true
	}
	return false
}

func integers(kind format.Type, signed bool) (ToNumber, error) {
	switch {
	case kind == format.Int32 && signed:
		return func(v parquet.Value) float64 { return float64(v.Int32()) }, nil
	case kind == format.Int32:
		return func(v parquet.Value) float64 { return float64(uint32(v.Int32())) }, nil
	case kind == format.Int64 && signed:
		return func(v parquet.Value) float64 { return float64(v.Int64()) }, nil
	case kind == format.Int64:
		return func(v parquet.Value) float64 { return float64(uint64(v.Int64())) }, nil
	}
	return nil, fmt.Errorf("values of type %v", kind)
}

// decimals reads integers that are divided by ten to the power of a scale: of bytes the most significant first.
func decimals(kind format.Type, scale int32) (ToNumber, error) {
	divisor := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	scaled := func(n *big.Int) float64 {
		x, _ := new(big.Rat).SetFrac(n, divisor).Float64()
		return x
	}
	switch kind {
	case format.Int32:
		return func(v parquet.Value) float64 { return scaled(big.NewInt(int64(v.Int32()))) }, nil
	case format.Int64:
		return func(v parquet.Value) float64 { return scaled(big.NewInt(v.Int64())) }, nil
	case format.ByteArray, format.FixedLenByteArray:
		return func(v parquet.Value) float64 {
			b := v.ByteArray()
			if len(b) == 0 || len(b) > maxDecimal {
				return math.NaN()
			}
			n := new(big.Int).SetBytes(b)
			if b[0] >= 0x80 { // two's complement
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
			}
			return scaled(n)
		}, nil
	}
	return nil, fmt.Errorf("values of type %v called DECIMAL", kind)
}

// maxDecimal is the length of the largest decimal that is read, in bytes: some 150 digits.
const maxDecimal = 64

// half reads a float of 16 bits (IEEE 754), the least significant byte first.
func half(b []byte) float64 {
	if len(b) != 2 {
		return math.NaN()
	}
	bits := uint16(b[0]) | uint16(b[1])<<8
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	x := math.Ldexp(1+fraction/1024, exponent-15)
	switch {
	case exponent == 0:
		x = math.Ldexp(fraction/1024, -14)
	case exponent == 0x1f && fraction == 0:
		x = math.Inf(1)
	case exponent == 0x1f:
		x = math.NaN()
	}
	if bits>>15 != 0 {
		x = -x
	}
	return x
}
