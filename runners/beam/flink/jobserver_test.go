package flink

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A job server that does not start says why, and leaves nothing that runs.
func TestServerDoesNotStart(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	for name, test := range map[string]struct {
		script, want string
		starts       int
	}{
		"it ends": {`echo "Error: Could not find or load main class x"; exit 1`,
			"it ended at once: Error: Could not find or load main class x", 1},
		"it says nothing":   {`exit 1`, "it ended at once; its log is", 1},
		"the port is taken": {`echo "java.io.IOException: Failed to bind to address localhost"; exit 1`, "the port is taken", 3},
	} {
		t.Run(name, func(t *testing.T) {
			os.Remove(count)
			home := t.TempDir()
			t.Setenv("JAVA_HOME", home)
			t.Setenv("TMPDIR", t.TempDir())
			script(t, filepath.Join(home, "bin"), "java", `[ "$1" = -version ] && { `+goodJava+`; exit; }; echo >>"`+count+`"; `+
				test.script)
			server := jar(t, "server.jar", map[string]string{driverFile: "", serverFactory: string(classFile(1))})
			_, err := open(t.Context(), Options{Master: local, JobServer: server})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if text, _ := os.ReadFile(count); len(text) != test.starts {
				t.Errorf("started %d times", len(text))
			}
		})
	}
}

// Nothing at the address of a given job server is an error after a while.
func TestNoServer(t *testing.T) {
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	s := &server{}
	err = s.dial(t.Context(), address, time.Second)
	if err == nil || !strings.Contains(err.Error(), "nothing answers within 1s") {
		t.Errorf("got %v", err)
	}
}

// Folders of processes that are no more go; those of others stay.
func TestSweep(t *testing.T) {
	temporary := t.TempDir()
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Skip("skipped: there is no program true")
	}
	for name, stays := range map[string]bool{
		fmt.Sprint(folderPrefix, dead.Process.Pid, "-1"): false, fmt.Sprint(folderPrefix, os.Getpid(), "-1"): true,
		folderPrefix + "notes": true, "other": true,
	} {
		if err := os.MkdirAll(filepath.Join(temporary, name, "conf"), 0o777); err != nil {
			t.Fatal(err)
		}
		sweep(temporary)
		if _, err := os.Stat(filepath.Join(temporary, name)); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
}
