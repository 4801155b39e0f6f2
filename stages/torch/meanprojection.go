//go:build libtorch

package torch

import (
	"fmt"
	"path/filepath"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/losses"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

// matrix is a linear layer in Go: weight is [out, in], row after row.
type matrix struct {
	in, out      int
	weight, bias []float32
}

// meanProjection returns layers, with ReLU between them, that give the mean of a vector of
// the size and of its projections (Yang et al. 2021, section 5.1, "proj"). The vector goes
// through ReLU beside the hidden layers as its positive and its negative part.
func meanProjection(projection []matrix, size int) (layers []matrix) {
	for i, p := range projection {
		first, last := i == 0, i == len(projection)-1
		m := matrix{in: p.in + 2*size, out: p.out + 2*size}
		if first {
			m.in = size
		}
		if last {
			m.out = size
		}
		m.weight, m.bias = make([]float32, m.in*m.out), make([]float32, m.out)
		n := float32(1) // of rows of the projection that make one
		if last {
			n = float32(p.out/size) + 1
		}
		sums, offsets := make([]float64, min(m.out, p.out)*p.in), make([]float64, min(m.out, p.out))
		for row := range p.out {
			target := row
			if last {
				target = row % size
			}
			offsets[target] += float64(p.bias[row])
			for column := range p.in {
				sums[target*p.in+column] += float64(p.weight[row*p.in+column])
			}
		}
		for row := range offsets {
			m.bias[row] = float32(offsets[row] / float64(n))
			for column := range p.in {
				m.weight[row*m.in+column] = float32(sums[row*p.in+column] / float64(n))
			}
		}
		for k := range size { // the vector itself
			switch {
			case first && last:
				m.weight[k*m.in+k] += 1 / n
			case first:
				m.weight[(p.out+k)*m.in+k], m.weight[(p.out+size+k)*m.in+k] = 1, -1
			case last:
				m.weight[k*m.in+p.in+k], m.weight[k*m.in+p.in+size+k] = 1/n, -1/n
			default:
				m.weight[(p.out+k)*m.in+p.in+k], m.weight[(p.out+size+k)*m.in+p.in+size+k] = 1, 1
			}
		}
		layers = append(layers, m)
	}
	return layers
}

// saved returns the layers that are saved behind the pooling, if CMLM asks for the mean of
// its projections.
func (t *Trainer) saved() (layers []matrix, err error) {
	o, ok := t.config.Objectives[objective.CMLMName].(*objective.CMLM)
	if !ok || !o.MeanProjection {
		return nil, nil
	}
	var projection []matrix
	for i := range len(o.Widths) + 1 {
		l := t.masters.Linear(fmt.Sprint(losses.ProjectionName, i))
		size, err := l.Weight.Size()
		if err != nil {
			return nil, err
		}
		m := matrix{out: int(size[0]), in: int(size[1]), weight: make([]float32, size[0]*size[1]), bias: make([]float32, size[0])}
		if err := native.Floats(m.weight, l.Weight); err != nil {
			return nil, err
		}
		if err := native.Floats(m.bias, l.Bias); err != nil {
			return nil, err
		}
		projection = append(projection, m)
	}
	return meanProjection(projection, t.config.Folder.Config.HiddenSize), nil
}

// settingsOf lists layers for the settings of a folder.
func settingsOf(layers []matrix) (list []model.Dense) {
	for i, m := range layers {
		d := model.Dense{Path: model.DensePath(i), In: m.in, Out: m.out, Bias: true, Activation: model.ReLU}
		if i == len(layers)-1 {
			d.Activation = model.Identity
		}
		list = append(list, d)
	}
	return list
}

// writeDense writes the weights of layers into a folder whose settings are there.
func writeDense(folder string, layers []matrix, metadata map[string]string) error {
	for i, m := range layers {
		w := transformer.NewWeights()
		err := w.PutFloats("linear.weight", m.weight, int64(m.out), int64(m.in))
		if err == nil {
			err = w.PutFloats("linear.bias", m.bias, int64(m.out))
		}
		if err == nil {
			err = write(filepath.Join(folder, model.DensePath(i), model.WeightsName), w.Names, w, metadata)
		}
		w.Free()
		if err != nil {
			return err
		}
	}
	return nil
}
