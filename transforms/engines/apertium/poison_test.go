//go:build unix

package apertium

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

// TestMain is also each program of a pipeline, when it is started as such: one that
// passes streams on, and ends over some.
func TestMain(m *testing.M) {
	name := os.Getenv("TEST_STAGES")
	if name == "" {
		os.Exit(m.Run())
	}
	name = os.Args[1]
	if f, err := os.OpenFile(os.Getenv("TEST_STARTS"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
		fmt.Fprintln(f, name)
		f.Close()
	}
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for {
		stream, err := in.ReadBytes(0)
		if err != nil {
			os.Exit(0)
		}
		switch {
		case bytes.Contains(stream, []byte("crash "+name)):
			_, _ = out.Write(stream[:1])
			os.Exit(3)
		case bytes.Contains(stream, []byte("exit "+name)):
			_, _ = out.Write(stream[:len(stream)/2])
			out.Flush()
			os.Exit(1)
		case bytes.Contains(stream, []byte("hang "+name)):
			time.Sleep(time.Hour)
		case bytes.Contains(stream, []byte("kill "+name)):
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		_, _ = out.Write(stream)
		out.Flush()
	}
}

// stages returns an installation whose pipelines have the programs a, b, c, d, of which
// the third is a tagger in one of them, and what tells how often a program was started.
func stages(t *testing.T) (e *Engine, starts func(name string) int) {
	t.Helper()
	folder := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	write := writer(t, folder)
	write("bin/apertium", "#!/bin/sh\necho Apertium 9.9.9\n", 0o755)
	write("bin/stage", "#!/bin/sh\nfor name; do :; done\nexec '"+self+"' \"$name\"\n", 0o755)
	write("bin/apertium-tagger", "#!/bin/sh\nexec '"+self+"' c\n", 0o755)
	write("share/apertium/modes/eng-spa.mode", "stage a | stage b | apertium-tagger -g | stage d | stage e", 0o644)
	write("share/apertium/modes/eng-cat.mode", "stage a | stage b | stage c | stage d | stage e", 0o644)
	log := filepath.Join(folder, "starts")
	config := DefaultConfig()
	config.Program, config.Data = filepath.Join(folder, "bin", "apertium"), filepath.Join(folder, "share", "apertium")
	config.Environment = []string{"TEST_STAGES=1", "TEST_STARTS=" + log}
	if e, err = Open(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e, func(name string) (n int) {
		data, _ := os.ReadFile(log)
		for line := range strings.Lines(string(data)) {
			if strings.TrimSpace(line) == name {
				n++
			}
		}
		return n
	}
}

// Whichever program of a pipeline ends over a text, or hangs, that text alone has no
// answer, and costs one start of the programs.
func TestPoison(t *testing.T) {
	for _, tt := range []struct {
		name   string
		poison map[int]string
		kind   engines.Kind
		starts int // most
	}{
		{"crash", map[int]string{0: "crash a", 7: "crash b", 31: "crash c", 32: "crash d", 33: "crash e", 99: "crash a"}, engines.Crashed,
			1 + 6},
		{"exit, with half an answer", map[int]string{5: "exit a", 6: "exit b", 20: "exit c", 50: "exit d", 80: "exit e"}, engines.Crashed,
			1 + 5},
		{"hang", map[int]string{10: "hang c"}, engines.Crashed, 1 + 1},
		{"killed each time", map[int]string{40: "kill b"}, engines.Crashed, 2 + mostKills},
	} {
		for _, target := range []string{"spa", "cat"} {
			t.Run(tt.name+" "+target, func(t *testing.T) {
				t.Parallel()
				e, starts := stages(t)
				config := engines.DefaultConfig()
				if config.Parallel = 1; tt.name == "hang" { // which costs that much; programs start slowly under load
					config.Timeout = 10 * time.Second
				}
				c, err := engines.NewCaller(e, config)
				if err != nil {
					t.Fatal(err)
				}
				texts := enginetest.Texts(100)
				for i, text := range tt.poison {
					texts[i] = text
				}
				got, err := c.Translate(t.Context(), engines.Pair{Source: "eng", Target: target}, texts)
				if err != nil {
					t.Fatal(err)
				}
				for i, a := range got {
					switch poison := tt.poison[i]; {
					case poison == "" && (a.Err != nil || a.Text != texts[i]):
						t.Errorf("%q: %q, %v", texts[i], a.Text, a.Err)
					case poison != "" && engines.KindOf(a.Err) != tt.kind:
						t.Errorf("%q: %q, %v", poison, a.Text, a.Err)
					case strings.HasPrefix(poison, "crash") && !strings.Contains(a.Err.Error(), "status 3"):
						t.Errorf("%q: %v, want how it ended", poison, a.Err)
					}
				}
				if n := starts("a"); n > tt.starts {
					t.Errorf("%d starts, want at most %d", n, tt.starts)
				}
			})
		}
	}
}

// What is translated does not suffer from those who end programs.
func TestPoisonIsNotWhatIsKilled(t *testing.T) {
	e, _ := stages(t)
	texts := enginetest.Texts(2000)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range 10 {
			time.Sleep(10 * time.Millisecond)
			files, _ := filepath.Glob("/proc/[0-9]*/environ")
			for _, file := range files {
				if data, _ := os.ReadFile(file); !bytes.Contains(data, []byte("TEST_STAGES=1")) {
					continue
				}
				var pid int
				if _, err := fmt.Sscanf(file, "/proc/%d/", &pid); err == nil {
					_ = syscall.Kill(pid, syscall.SIGKILL)
					break
				}
			}
		}
	}()
	got := translate(t, e, pair, texts)
	<-ended
	for i := range texts {
		if got[i] != texts[i] {
			t.Errorf("%q: %q", texts[i], got[i])
		}
	}
}
