package dataflow

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"
)

// Binary is a program that workers can run.
type Binary struct {
	// Path is where it lies on this machine.
	Path string
	// SHA256 is in hexadecimal digits, Bytes the size.
	SHA256 string
	Bytes  int64
	// Architecture is amd64 or arm64.
	Architecture string
	// Libraries are those that it loads when it starts; none in a static program.
	Libraries []string
}

// Static says whether the program needs nothing of its container's image.
func (b Binary) Static() bool { return len(b.Libraries) == 0 }

// imageLibraries are those of the SDK's own image, which has the C library alone.
var imageLibraries = []string{"libc.so.6", "libpthread.so.0", "libdl.so.2", "libm.so.6", "libresolv.so.2", "librt.so.1",
	"ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}

const beamModule = "github.com/apache/beam/sdks/v2"

// InspectBinary opens a program and refuses what cannot run on a Linux machine of an
// architecture (amd64, arm64) in the SDK's own image, or, if ownImage is set, in
// another. An empty path means the running program.
func InspectBinary(ctx context.Context, path, architecture string, ownImage bool) (Binary, error) {
	if path == "" {
		var err error
		if path, err = os.Executable(); err != nil {
			return Binary{}, fmt.Errorf("find the running program, to stage it: %w; name one by --worker-binary", err)
		}
	}
	file, err := os.Open(path)
	if err != nil {
		return Binary{}, fmt.Errorf("open the worker binary: %w", err)
	}
	defer file.Close()
	b := Binary{Path: path}
	if b.Architecture, b.Libraries, err = inspectELF(file); err != nil {
		return Binary{}, fmt.Errorf("worker binary %s %w; build one by `%s` and name it by --worker-binary", path, err,
			buildCommand(architecture))
	}
	if b.Architecture != architecture {
		return Binary{}, fmt.Errorf("worker binary %s is for linux/%s, the machines are linux/%s; build one by `%s` and name it by --worker-binary, or choose another --machine-type",
			path, b.Architecture, architecture, buildCommand(architecture))
	}
	foreign := slices.DeleteFunc(slices.Clone(b.Libraries), func(name string) bool { return slices.Contains(imageLibraries, name) })
	if len(foreign) > 0 && !ownImage {
		return Binary{}, fmt.Errorf("worker binary %s was built with cgo and loads %s, which the SDK's image does not have; build a static one by `%s`, or bring an image that has them by --worker-image",
			path, strings.Join(foreign, ", "), buildCommand(architecture))
	}
	var dependencies []*debug.Module
	if info, err := buildinfo.Read(file); err == nil {
		dependencies = info.Deps
	}
	if err := checkBuild(dependencies); err != nil {
		return Binary{}, fmt.Errorf("worker binary %s %w; build it from the same source by `%s`", path, err, buildCommand(architecture))
	}
	b.SHA256, b.Bytes, err = digest(ctx, file)
	if err != nil {
		return Binary{}, fmt.Errorf("read the worker binary: %w", err)
	}
	return b, nil
}

func buildCommand(architecture string) string {
	return "CGO_ENABLED=0 GOOS=linux GOARCH=" + architecture + " go build -trimpath -ldflags='-s -w' -o sentweave-linux ./runners/sentweave"
}

// inspectELF returns the architecture and the libraries of a Linux program.
func inspectELF(file io.ReaderAt) (architecture string, libraries []string, err error) {
	program, err := elf.NewFile(file)
	if err != nil {
		return "", nil, errors.New(otherFormat(file))
	}
	defer program.Close()
	if program.OSABI != elf.ELFOSABI_NONE && program.OSABI != elf.ELFOSABI_LINUX {
		return "", nil, fmt.Errorf("is a program for %s, workers run Linux", strings.TrimPrefix(program.OSABI.String(), "ELFOSABI_"))
	}
	if program.Type != elf.ET_EXEC && program.Type != elf.ET_DYN {
		return "", nil, fmt.Errorf("is an ELF file, but no program (%s)", program.Type)
	}
	switch program.Machine {
	case elf.EM_X86_64:
		architecture = "amd64"
	case elf.EM_AARCH64:
		architecture = "arm64"
	default:
		return "", nil, fmt.Errorf("is for the processor %s, workers have amd64 or arm64",
			strings.TrimPrefix(program.Machine.String(), "EM_"))
	}
	if libraries, err = program.ImportedLibraries(); err != nil {
		return "", nil, fmt.Errorf("has a damaged list of libraries: %w", err)
	}
	return architecture, libraries, nil
}

// otherFormat says what a file is that is not an ELF program.
func otherFormat(file io.ReaderAt) string {
	head := make([]byte, 4)
	n, _ := file.ReadAt(head, 0)
	head = head[:n]
	for _, format := range []struct{ magic, is string }{
		{"MZ", "is a program for Windows, workers run Linux"},
		{"\xcf\xfa\xed\xfe", "is a program for macOS, workers run Linux"},
		{"\xca\xfe\xba\xbe", "is a program for macOS, workers run Linux"},
		{"#!", "is a script; workers start one file, a program"},
		{"\x7fELF", "is damaged: its ELF header does not fit its content"},
	} {
		if bytes.HasPrefix(head, []byte(format.magic)) {
			return format.is
		}
	}
	return "is not a program for Linux"
}

// checkBuild refuses a Go program that was built with another version of Beam than
// this one, or without: the worker would not understand its launcher. A program that
// does not tell what it was built of, as those of `go test`, passes.
func checkBuild(dependencies []*debug.Module) error {
	if len(dependencies) == 0 {
		return nil
	}
	index := slices.IndexFunc(dependencies, func(m *debug.Module) bool { return m.Path == beamModule })
	if index < 0 {
		return errors.New("is not a worker: it does not contain Beam")
	}
	if version := dependencies[index].Version; version != "v"+core.SdkVersion {
		return fmt.Errorf("was built with Beam %s, this program with v%s", version, core.SdkVersion)
	}
	return nil
}

// digest returns SHA-256 and size of a file.
func digest(ctx context.Context, file *os.File) (sum string, size int64, err error) {
	info, err := file.Stat()
	if err != nil {
		return "", 0, err
	}
	hash := sha256.New()
	size, err = io.CopyBuffer(hash, contextReader{ctx, io.NewSectionReader(file, 0, info.Size())}, make([]byte, 1<<20))
	return hex.EncodeToString(hash.Sum(nil)), size, err
}

// contextReader ends with its context.
type contextReader struct {
	ctx context.Context
	in  io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.in.Read(p)
}
