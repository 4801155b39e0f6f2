package torch

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/cpu"

	"sentweave/schemas/fault"
)

// Precisions of matrix products.
const (
	Float32  = "float32"
	bFloat16 = "bfloat16"
	Int8     = "int8"
)

// Compute says where and how libtorch computes, in the whole process. The tags are
// read by the command line; the json names are in plans and records. The zero
// value is float32 on the CPU.
type Compute struct {
	// Device is cpu, cuda or cuda:N. On CUDA only operations are used that give the
	// same bits each time, where libtorch has such.
	Device string `help:"Where libtorch computes: cpu, cuda or cuda:N." default:"cpu" placeholder:"NAME" group:"Libtorch" json:"-"`
	// Precision is that of matrix products, of attention, and, in training, of the vectors that layers hand
	// on. Weights, their moments and sums of gradients, sums and statistics, the scores of bitext retrieval and
	// losses are float32 always. In int8, which is for encoding on the CPU, both sides of the products of layers are whole numbers.
	Precision string `help:"Precision of products (${enum}), in bfloat16 of what layers hand on, too; int8 is for encoding on the CPU." default:"float32" enum:"float32,bfloat16,int8" group:"Libtorch" json:"precision"`
	// Threads are those of an operation on the CPU in training (see Use), and those that compute a batch each elsewhere
	// (see UseLanes).
	Threads int `help:"Threads on the CPU; 0 is as many as there are cores. In training another number gives other last digits." default:"0" group:"Libtorch" json:"-"`
}

// Hardware is what libtorch computes on, and by what.
type Hardware struct {
	// Card is the name of the GPU, empty on the CPU; Unnamed says why it is not known.
	Card    string
	Unnamed error
	// Libtorch is its version. Kernels say what computes between matrix products: operations of libtorch, or fused kernels
	// of this program, which NVRTC compiles for bfloat16 on a GPU. Unfused says why those do not run where they could.
	Libtorch, Kernels string
	Unfused           error
}

// MayHaveKernels says whether kernels of this program compute between matrix products where NVRTC compiles them: in bfloat16 on a GPU.
func (c Compute) MayHaveKernels() bool {
	return strings.HasPrefix(c.Device, "cuda") && c.Precision == bFloat16
}

var deviceName = regexp.MustCompile(`^(cpu|cuda(:[0-9]{1,2})?)$`)

// Validate returns all faults at once.
func (c Compute) Validate() error {
	c = c.filled()
	var errs fault.List
	errs.Check(deviceName.MatchString(c.Device), "device %q is unknown; it must be cpu, cuda or cuda:N", c.Device)
	errs.Check(slices.Contains([]string{Float32, bFloat16, Int8}, c.Precision), "precision %q is unknown; it must be %s, %s or %s",
		c.Precision, Float32, bFloat16, Int8)
	errs.Check(c.Precision != Int8 || c.Device == "cpu", "precision %s is for the CPU: take %s on device %s", Int8, bFloat16, c.Device)
	errs.Check(c.Precision != Int8 || hasInt8(runtime.GOARCH, cpu.X86.HasAVX512VNNI || cpu.X86.HasAVXVNNI || cpu.X86.HasAMXInt8),
		"this processor has no VNNI, without which precision %s gives wrong sums: take %s, some three times its time elsewhere", Int8, Float32)
	errs.Check(c.Threads >= 0, "threads is %d, it must not be negative", c.Threads)
	return errs.Err()
}

// hasInt8 says whether sums of products in int8 can be right; other architectures do not tell, and are tried by Use and UseLanes.
func hasInt8(architecture string, vnni bool) bool { return vnni || architecture != "amd64" }

// ValidateTraining is Validate of what trains, or takes gradients.
func (c Compute) ValidateTraining() error {
	errs := fault.List{c.Validate()}
	errs.Check(c.Precision != Int8, "precision %s is for encoding, not for training: it must be %s or %s", Int8, Float32, bFloat16)
	return errs.Err()
}

// Lacking says what computing by c costs on a processor that lacks the precision; "" if the processor has it, or is of a
// kind that does not tell.
func (c Compute) Lacking() string {
	return c.filled().lackingOn(runtime.GOARCH, cpu.X86.HasAVX512BF16 || cpu.X86.HasAMXBF16)
}

// leastReduced is the fewest dimensions of an encoder that bfloat16 trains no slower on the CPU. With AMX it takes 1.18 of float32's time
// at 128, .99 at 192 and .84 at 256.
const leastReduced = 192

// LackingFor is Lacking of the training of an encoder of so many dimensions.
func (c Compute) LackingFor(dimensions int) string {
	if lacking := c.Lacking(); lacking != "" || c.filled().Device != "cpu" || c.Precision != bFloat16 || dimensions >= leastReduced {
		return lacking
	}
	return fmt.Sprintf("bfloat16 takes longer than float32 to train an encoder of %d dimensions on the CPU: leave out --precision", dimensions)
}

func (c Compute) lackingOn(architecture string, reduced bool) string {
	if c.Device != "cpu" || c.Precision != bFloat16 || architecture != "amd64" || reduced {
		return ""
	}
	return "this processor has neither AMX nor AVX512-BF16, without which bfloat16 takes some three times as long as float32: leave out --precision"
}

// Lanes is how many batches are computed at once where UseLanes says how: one on a GPU, and one by each thread on the CPU.
func (c Compute) Lanes() int {
	switch {
	case c.filled().Device != "cpu":
		return 1
	case c.Threads > 0:
		return c.Threads
	}
	return runtime.GOMAXPROCS(0)
}

func (c Compute) filled() Compute {
	if c.Device == "" {
		c.Device = "cpu"
	}
	if c.Precision == "" {
		c.Precision = Float32
	}
	return c
}
