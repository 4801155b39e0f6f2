package dataflow

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"sentweave/pipelines/units"
	"sentweave/schemas/dataset"
)

// Machine is what the name of a Compute Engine machine type tells.
type Machine struct {
	Type string
	// VCPUs is the number of virtual cores.
	VCPUs int
	// Memory is in bytes; 0 where the name does not tell it.
	Memory int64
	// ARM is set where programs must be built for arm64.
	ARM bool
}

// perCore is the memory of a vCPU in GiB, by family and class of predefined types
// (cloud.google.com/compute/docs/general-purpose-machines, compute-optimized-machines).
var perCore = map[string]float64{
	"n1-standard": 3.75, "n1-highmem": 6.5, "n1-highcpu": .9,
	"e2-standard": 4, "e2-highmem": 8, "e2-highcpu": 1,
	"n2-standard": 4, "n2-highmem": 8, "n2-highcpu": 1,
	"n2d-standard": 4, "n2d-highmem": 8, "n2d-highcpu": 1,
	"n4-standard": 4, "n4-highmem": 8, "n4-highcpu": 2,
	"c2-standard": 4, "c2d-standard": 4, "c2d-highmem": 8, "c2d-highcpu": 2,
	"c3-standard": 4, "c3-highmem": 8, "c3-highcpu": 2,
	"c3d-standard": 4, "c3d-highmem": 8, "c3d-highcpu": 2,
	"t2d-standard": 4, "t2a-standard": 4,
	"c4a-standard": 4, "c4a-highmem": 8, "c4a-highcpu": 2,
}

var (
	// customPattern is documented for Dataflow: FAMILY-vCPU-MEMORY, memory in MB
	// (cloud.google.com/dataflow/docs/guides/configure-worker-vm).
	customPattern     = regexp.MustCompile(`^((n2|n2d|n4|e2)-)?custom-(1|[2468]|[1-9][0-9]?[02468])-([1-9][0-9]{2,6})(-ext)?$`)
	predefinedPattern = regexp.MustCompile(`^([a-z][a-z0-9]*)-([a-z]+)-([1-9][0-9]{0,2})(-[a-z]+)?$`)
	sharedPattern     = regexp.MustCompile(`^(f1-micro|g1-small|e2-micro|e2-small|e2-medium)$`)
	armFamilies       = map[string]bool{"t2a": true, "c4a": true, "n4a": true}
)

// ParseMachine reads the name of a machine type. Whether there is one of the name
// in a region, only the service knows.
func ParseMachine(name string) (Machine, error) {
	if sharedPattern.MatchString(name) {
		return Machine{}, fmt.Errorf("machine-type %q shares its core with others, which Dataflow's service level does not cover: take e2-standard-2 or larger",
			name)
	}
	if m := customPattern.FindStringSubmatch(name); m != nil {
		cores, _ := strconv.Atoi(m[3])
		megabytes, _ := strconv.ParseInt(m[4], 10, 64)
		if megabytes%256 != 0 {
			return Machine{}, fmt.Errorf("machine-type %q: the memory of a custom one is a multiple of 256 MB", name)
		}
		return Machine{Type: name, VCPUs: cores, Memory: megabytes << 20}, nil
	}
	if strings.Contains(name, "custom-") {
		return Machine{}, fmt.Errorf("machine-type %q: a custom one is custom-CORES-MB, or with n2-, n2d-, n4- or e2- before it, of 1 or an even number of vCPUs",
			name)
	}
	m := predefinedPattern.FindStringSubmatch(name)
	if m == nil {
		return Machine{}, fmt.Errorf("machine-type %q: the name tells no number of vCPUs, by which units in flight are counted: give one such as e2-standard-4 or n2-custom-4-8192",
			name)
	}
	cores, _ := strconv.Atoi(m[3])
	return Machine{Type: name, VCPUs: cores, Memory: int64(perCore[m[1]+"-"+m[2]] * float64(cores) * (1 << 30)), ARM: armFamilies[m[1]]},
		nil
}

// Window is the number of units that a worker has in flight: one a core.
func (m Machine) Window() int { return m.VCPUs }

// architecture is what GOARCH calls it.
func (m Machine) architecture() string {
	if m.ARM {
		return "arm64"
	}
	return "amd64"
}

// fits returns an error if the machine is known to have less memory than the units
// in flight need.
func (m Machine) fits() error {
	needed := units.MemoryBudget(m.Window())
	if m.Memory == 0 || m.Memory >= needed {
		return nil
	}
	class := ""
	if strings.Contains(m.Type, "highcpu") {
		class = ", a standard or highmem one"
	}
	return fmt.Errorf("machine-type %q has %s of memory, %d units in flight may need %s: take one with more memory a core%s", m.Type,
		dataset.Bytes(m.Memory>>20<<20), m.Window(), dataset.Bytes(needed), class)
}
