// Package childtest finds the sockets on which processes listen, and can have the
// kernel kill a process that begins to listen.
package childtest

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Socket is one on which a process waits for others.
type Socket struct {
	Process int
	// Network is tcp, tcp6, udp, udp6 or unix.
	Network string
	// Address is that of the network; invalid for unix.
	Address netip.AddrPort
	// Path is that of a unix socket; an abstract one begins with @.
	Path string
}

func (s Socket) String() string {
	if s.Network == "unix" {
		return fmt.Sprintf("process %d: unix %s", s.Process, s.Path)
	}
	return fmt.Sprintf("process %d: %s %s", s.Process, s.Network, s.Address)
}

// Beyond tells whether others than this machine reach the socket.
func (s Socket) Beyond() bool {
	return s.Network != "unix" && !s.Address.Addr().Unmap().IsLoopback()
}

// Listening returns the sockets on which a process and all its descendants wait for
// others. A process that ends meanwhile has none. It skips the test where there is
// no /proc.
func Listening(t testing.TB, process int) []Socket {
	t.Helper()
	if _, err := os.Stat("/proc/net/tcp"); err != nil {
		t.Skip("skipped: it reads sockets from Linux's /proc")
	}
	var sockets []Socket
	for _, p := range tree(t, process) {
		inodes := map[string]bool{}
		entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p))
		if err != nil {
			continue // it has ended
		}
		for _, e := range entries {
			target, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", p, e.Name()))
			if inode, ok := strings.CutPrefix(target, "socket:["); err == nil && ok {
				inodes[strings.TrimSuffix(inode, "]")] = true
			}
		}
		for _, network := range []string{"tcp", "tcp6", "udp", "udp6", "unix"} {
			table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", p, network))
			if errors.Is(err, fs.ErrNotExist) {
				continue // it has ended, or the machine has no such network
			}
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(table)) {
				if socket, inode, ok := parse(network, strings.Fields(line)); ok && inodes[inode] {
					socket.Process = p
					sockets = append(sockets, socket)
				}
			}
		}
	}
	return sockets
}

// parse reads a line of a table of sockets and says whether that one listens.
func parse(network string, fields []string) (s Socket, inode string, listens bool) {
	const acceptsConnections = 1 << 16 // __SO_ACCEPTCON
	s.Network = network
	if network == "unix" { // Num RefCount Protocol Flags Type St Inode Path
		if len(fields) < 7 {
			return s, "", false
		}
		flags, err := strconv.ParseUint(fields[3], 16, 64)
		s.Path = strings.Join(fields[7:], " ")
		return s, fields[6], err == nil && flags&acceptsConnections != 0
	}
	// sl local_address rem_address st … inode
	if len(fields) < 10 || !strings.Contains(fields[1], ":") {
		return s, "", false
	}
	local, localErr := parseAddress(fields[1])
	remote, remoteErr := parseAddress(fields[2])
	s.Address = local
	switch {
	case localErr != nil || remoteErr != nil:
		return s, "", false
	case strings.HasPrefix(network, "tcp"):
		return s, fields[9], fields[3] == "0A" // TCP_LISTEN
	}
	return s, fields[9], remote.Port() == 0 // it takes what anyone sends
}

// parseAddress reads an address as the kernel prints it: words of 32 bits in the
// order of the machine, and a port.
func parseAddress(text string) (netip.AddrPort, error) {
	address, port, _ := strings.Cut(text, ":")
	words, err := hex.DecodeString(address)
	if err != nil || len(words)%4 != 0 {
		return netip.AddrPort{}, fmt.Errorf("%q is not an address: %w", text, err)
	}
	for i := 0; i < len(words); i += 4 {
		binary.NativeEndian.PutUint32(words[i:], binary.BigEndian.Uint32(words[i:]))
	}
	ip, ok := netip.AddrFromSlice(words)
	n, err := strconv.ParseUint(port, 16, 16)
	if err != nil || !ok {
		return netip.AddrPort{}, fmt.Errorf("%q is not an address: %w", text, err)
	}
	return netip.AddrPortFrom(ip, uint16(n)), nil
}

// tree returns a process and its descendants.
func tree(t testing.TB, process int) []int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	children := map[int][]int{}
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		// 7 (a name) S 1 …
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		rest := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if parent, err := strconv.Atoi(rest[1]); err == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	processes := []int{process}
	for i := 0; i < len(processes); i++ {
		processes = append(processes, children[processes[i]]...)
	}
	return processes
}

// Outer returns the addresses of this machine by which others reach it.
func Outer(t testing.TB) []netip.Addr {
	t.Helper()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	var outer []netip.Addr
	for _, a := range addresses {
		prefix, err := netip.ParsePrefix(a.String())
		if err == nil && !prefix.Addr().IsLoopback() && !prefix.Addr().IsLinkLocalUnicast() {
			outer = append(outer, prefix.Addr())
		}
	}
	slices.SortFunc(outer, netip.Addr.Compare)
	return outer
}
