package childtest

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ForbidListening has the kernel kill this process, and every one that it starts from
// now on, when it listens on a socket of any kind: one that ends well has never done
// so, however short.
func ForbidListening() error { return onCall(unix.SYS_LISTEN, unix.SECCOMP_RET_KILL_PROCESS) }

// FailLocks has every lock of a file fail in this process, and in every one that it starts from now
// on, with the error that a file system without locks gives.
func FailLocks(errno syscall.Errno) error {
	return onCall(unix.SYS_FLOCK, unix.SECCOMP_RET_ERRNO|uint32(errno))
}

// onCall has the kernel do something else where a system call is made.
func onCall(call, action uint32) error {
	const number = 0 // where struct seccomp_data has the number of the system call
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: action},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Without this only root may filter.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&filter)))
	if errno != 0 {
		return fmt.Errorf("filter system calls: %w", errno)
	}
	return nil
}
