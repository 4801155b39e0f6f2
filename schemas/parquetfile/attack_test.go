//go:build linux

package parquetfile_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/parquetfile"
	"sentweave/schemas/parquetfile/parquetfiletest"
)

// attacked names the file that a child process of the tests reads.
const attacked = "SENTWEAVE_TEST_PARQUET"

func TestMain(m *testing.M) {
	path := os.Getenv(attacked)
	if path == "" {
		os.Exit(m.Run())
	}
	limitMemory(3 << 30)
	data, err := os.ReadFile(path)
	if err == nil {
		err = readAll(data)
	}
	fmt.Printf("%d %v\n", peakMemory(), err)
}

// No file takes more than a gigabyte, whatever it claims.
func TestAttacks(t *testing.T) {
	attacks := parquetfiletest.Attacks(t)
	for _, a := range attacks {
		t.Run(a.Name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "attack.parquet")
			if err := os.WriteFile(path, a.File, 0o666); err != nil {
				t.Fatal(err)
			}
			peak, message := readInChild(t, path)
			t.Logf("%d bytes: %d MB; %s", len(a.File), peak/1e6, message)
			if strings.Contains(message, "runtime error") {
				t.Error("the message is one for programmers")
			}
			if peak > 1<<30 {
				t.Errorf("it takes %d bytes", peak)
			}
		})
	}
}

// readInChild reads a file in another process and returns the most memory that it took.
func readInChild(t *testing.T, path string) (peak int64, message string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), attacked+"="+path)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		line, _ := bufio.NewReader(&stderr).ReadString('\n')
		t.Fatalf("%v: %s", err, line)
	}
	if _, err := fmt.Sscan(string(out), &peak); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, message, _ = strings.Cut(strings.TrimSpace(string(out)), " ")
	return peak, message
}

// What exceeds a bound names it, and what to do.
func TestBoundErrors(t *testing.T) {
	for _, a := range parquetfiletest.Attacks(t) {
		if a.Name != "two values of 700 MB" {
			continue
		}
		err := readAll(a.File)
		if bound := (*parquetfile.BoundError)(nil); !errors.As(err, &bound) {
			t.Fatalf("%v is no bound", err)
		}
		for _, part := range []string{`a page of column "text"`, "700000004 bytes", "more than the 134217728", "row_group_size"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q is not in: %v", part, err)
			}
		}
	}
}
