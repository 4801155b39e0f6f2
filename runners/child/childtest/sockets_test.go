package childtest

import (
	"bufio"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// listenVariable makes the test's program listen on each kind of socket.
const listenVariable = "SENTWEAVE_TEST_LISTEN"

func TestMain(m *testing.M) {
	if folder := os.Getenv(listenVariable); folder != "" {
		os.Exit(listen(folder))
	}
	os.Exit(m.Run())
}

// listen opens the sockets, prints their addresses, and waits for the end of its input.
func listen(folder string) int {
	for _, network := range []string{"tcp4 127.0.0.1:0", "tcp4 0.0.0.0:0", "tcp6 [::1]:0", "tcp6 [::]:0",
		"unix " + filepath.Join(folder, "a socket"), "unix @sentweave"} {
		kind, address, _ := strings.Cut(network, " ")
		l, err := net.Listen(kind, address)
		if err != nil {
			println(err.Error())
			return 1
		}
		defer l.Close()
		os.Stdout.WriteString(l.Addr().String() + "\n")
	}
	bufio.NewReader(os.Stdin).ReadByte()
	return 0
}

// The sockets of a process that the process has started are found, and which of them
// others reach.
func TestListening(t *testing.T) {
	if sockets := Listening(t, os.Getpid()); len(sockets) != 0 {
		t.Fatalf("before: %v", sockets)
	}
	c := exec.Command(os.Args[0])
	c.Env, c.Stderr = append(os.Environ(), listenVariable+"="+t.TempDir()), os.Stderr
	input, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer input.Close()
	var want []string
	for lines := bufio.NewScanner(output); len(want) < 6 && lines.Scan(); {
		want = append(want, lines.Text())
	}
	var got []string
	beyond := 0
	for _, s := range Listening(t, os.Getpid()) {
		if s.Process != c.Process.Pid {
			t.Errorf("%v is not a socket of process %d", s, c.Process.Pid)
		}
		if s.Beyond() {
			beyond++
		}
		if s.Network == "unix" {
			got = append(got, s.Path)
		} else {
			got = append(got, s.Address.String())
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || beyond != 2 {
		t.Errorf("%q, %d of them beyond; want %q, 2", got, beyond, want)
	}
}

func TestParseAddress(t *testing.T) {
	if binaryIsBig() {
		t.Skip("skipped: the lines are of a machine with the other order of bytes")
	}
	for text, want := range map[string]string{
		"0100007F:1F90": "127.0.0.1:8080", "00000000:07E8": "0.0.0.0:2024",
		"00000000000000000000000001000000:C350": "[::1]:50000",
		"0000000000000000FFFF00000100007F:0001": "[::ffff:127.0.0.1]:1",
		"0000000000000000FFFF0000020200C0:0001": "[::ffff:192.0.2.2]:1",
		"B80D01200000000067452301EFCDAB89:FFFF": "[2001:db8::123:4567:89ab:cdef]:65535",
	} {
		got, err := parseAddress(text)
		if err != nil || got != netip.MustParseAddrPort(want) {
			t.Errorf("%s: %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x:1", "01:1", "0100007F:x", "0100007F"} {
		if got, err := parseAddress(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func binaryIsBig() bool {
	a, err := parseAddress("0100007F:1")
	return err == nil && a.Addr() != netip.MustParseAddr("127.0.0.1")
}
