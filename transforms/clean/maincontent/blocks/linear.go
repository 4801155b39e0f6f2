package blocks

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"sentweave/transforms/random"
)

// Buckets is the number of weights of a Linear model: names with the same hash share one.
const Buckets = 1 << 15

// Linear is a logistic regression on the hashed names of classes, ids, roles and the like
// of the elements around a block: its own, those near it, and all, each with a weight.
type Linear struct {
	Weights []int16 // Buckets of them
	// Scale is what they are multiplied by.
	Scale float32
	Bias  float32
}

// The places of names.
const (
	ownNames = iota
	nearNames
	allNames
)

// nearLevels is how many block elements around that of a block are near.
const nearLevels = 2

// bucket returns the weight of a name at a place.
func bucket(hash uint32, place uint32) uint32 {
	h := (hash ^ place*0x85ebca6b) * 0xc2b2ae35
	return (h ^ h>>15) % Buckets
}

// tagName is the name that the tag of an element counts as.
func tagName(e *element) uint32 { return 0x51ed270b + uint32(e.tag)*0x01000193 }

// NameList are the weights of Linear that the blocks of a page have.
type NameList struct {
	weights []uint16
	ends    []int32 // of each block
}

// NameList lists the names of the elements around each block. It takes 2 bytes for each of them.
func (p *Page) NameList() *NameList {
	l := &NameList{ends: make([]int32, len(p.blocks))}
	for i := range p.blocks {
		level := -1
		for index := p.blocks[i].element; index >= 0; index = p.elements[index].parent {
			e := &p.elements[index]
			if e.block {
				level++
			}
			l.add(tagName(e), level)
			for _, n := range p.names[e.names[0]:e.names[1]] {
				l.add(n.hash, level)
			}
		}
		l.ends[i] = int32(len(l.weights))
	}
	return l
}

// add adds a name of an element at a level around a block.
func (l *NameList) add(hash uint32, level int) {
	switch {
	case level <= 0:
		l.weights = append(l.weights, uint16(bucket(hash, ownNames)))
	case level <= nearLevels:
		l.weights = append(l.weights, uint16(bucket(hash, nearNames)))
	}
	l.weights = append(l.weights, uint16(bucket(hash, allNames)))
}

// Append adds a block with the names of these hashes.
func (l *NameList) Append(hashes []uint32) {
	for _, h := range hashes {
		l.weights = append(l.weights, uint16(bucket(h, ownNames)))
	}
	l.ends = append(l.ends, int32(len(l.weights)))
}

// Judge returns the logit of each block of a list that Append made.
func (l *Linear) Judge(list *NameList) []float64 {
	scores := make([]float64, len(list.ends))
	for i := range scores {
		total := int64(0)
		names := list.of(int32(i))
		for _, k := range names {
			total += int64(l.Weights[k])
		}
		scores[i] = float64(float64(float64(total)*float64(l.Scale))/math.Sqrt(float64(max(1, len(names))))) + float64(l.Bias)
	}
	return scores
}

// of returns the weights of a block.
func (l *NameList) of(i int32) []uint16 {
	if i == 0 {
		return l.weights[:l.ends[0]]
	}
	return l.weights[l.ends[i-1]:l.ends[i]]
}

// scores returns the logit of each block. It takes time in proportion to the names of the
// page, however deep its elements stand.
func (l *Linear) scores(p *Page) []float64 {
	type sum struct{ own, near, all, count, allCount int32 }
	sums := make([]sum, len(p.elements))
	for i := range p.elements {
		e, s := &p.elements[i], &sums[i]
		if e.parent >= 0 {
			s.all, s.allCount = sums[e.parent].all, sums[e.parent].allCount
		}
		add := func(hash uint32) {
			s.own += int32(l.Weights[bucket(hash, ownNames)])
			s.near += int32(l.Weights[bucket(hash, nearNames)])
			s.all += int32(l.Weights[bucket(hash, allNames)])
			s.count++
			s.allCount++
		}
		add(tagName(e))
		for _, n := range p.names[e.names[0]:e.names[1]] {
			add(n.hash)
		}
	}
	scores := make([]float64, len(p.blocks))
	for i := range p.blocks {
		b := &p.blocks[i]
		total, n := int64(sums[b.element].all), sums[b.element].allCount
		level := -1
		for index := b.element; index >= 0 && level <= nearLevels; index = p.elements[index].parent {
			if p.elements[index].block {
				level++
			}
			switch s := &sums[index]; {
			case level <= 0:
				total, n = total+int64(s.own), n+s.count
			case level <= nearLevels:
				total, n = total+int64(s.near), n+s.count
			}
		}
		scores[i] = float64(float64(float64(total)*float64(l.Scale))/math.Sqrt(float64(max(1, n)))) + float64(l.Bias)
	}
	return scores
}

// Example is a page whose blocks have labels from 0 to 1, and weights.
type Example struct {
	Names           *NameList
	Labels, Weights []float32
}

const (
	passes  = 3
	rate    = .3
	penalty = 1e-6
)

// Append appends the weights to data, after their scale and the bias, all little-endian.
func (l *Linear) Append(data []byte) []byte {
	data = binary.LittleEndian.AppendUint32(data, math.Float32bits(l.Scale))
	data = binary.LittleEndian.AppendUint32(data, math.Float32bits(l.Bias))
	for _, w := range l.Weights {
		data = binary.LittleEndian.AppendUint16(data, uint16(w))
	}
	return data
}

// ReadLinear reads what Append wrote and returns what follows it.
func ReadLinear(data []byte) (l *Linear, rest []byte, err error) {
	if len(data) < 8+2*Buckets {
		return nil, nil, errors.New("the file ends within them")
	}
	l = &Linear{
		Scale: math.Float32frombits(binary.LittleEndian.Uint32(data)), Bias: math.Float32frombits(binary.LittleEndian.Uint32(data[4:])),
		Weights: make([]int16, Buckets),
	}
	if v := float64(l.Scale) + float64(l.Bias); math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, nil, errors.New("they are not finite")
	}
	for i := range l.Weights {
		l.Weights[i] = int16(binary.LittleEndian.Uint16(data[8+2*i:]))
	}
	return l, data[8+2*Buckets:], nil
}

// FitLinear fits a model to pages by AdaGrad (Duchi et al. 2011), with blocks in an order that
// the seed decides, and the same weights on every machine. Sigmoid is 1/(1+e^-x).
func FitLinear(ctx context.Context, examples []Example, seed uint64, sigmoid func(float64) float64) (*Linear, error) {
	type place struct{ page, block int32 }
	var order []place
	for i, e := range examples {
		for k := range e.Labels {
			order = append(order, place{int32(i), int32(k)})
		}
	}
	weights, squares := make([]float64, Buckets), make([]float64, Buckets)
	bias, biasSquare := 0.0, 1.0
	for pass := range passes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		stream := random.New(1, seed, "linear", "", int64(pass))
		random.Shuffle(&stream, order)
		for _, position := range order {
			e := &examples[position.page]
			list := e.Names.of(position.block)
			sum := 0.0
			for _, k := range list {
				sum += weights[k]
			}
			value := 1 / math.Sqrt(float64(max(1, len(list))))
			p := sigmoid(float64(sum*value) + bias)
			gradient := float64(float64(e.Weights[position.block]) * (p - float64(e.Labels[position.block])))
			biasSquare += float64(gradient * gradient)
			bias -= float64(.1*gradient) / math.Sqrt(biasSquare)
			gradient = float64(gradient * value)
			square := float64(gradient * gradient)
			for _, k := range list {
				squares[k] += square
				weights[k] -= float64(rate*(gradient+float64(penalty*weights[k]))) / math.Sqrt(squares[k]+1e-8)
			}
		}
	}
	greatest := 1e-9
	for _, w := range weights {
		greatest = max(greatest, math.Abs(w))
	}
	l := &Linear{Weights: make([]int16, Buckets), Scale: float32(greatest / math.MaxInt16), Bias: float32(bias)}
	for i, w := range weights {
		l.Weights[i] = int16(math.RoundToEven(w / greatest * math.MaxInt16))
	}
	return l, nil
}
