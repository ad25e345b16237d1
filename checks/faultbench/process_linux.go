package faultbench

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// process is a child that ends with this process, however this process ends.
type process struct {
	command *exec.Cmd
	ended   chan struct{} // closed when it has ended and its output is read
}

// startProcess starts a program with an environment, and does not wait for its end. Both outputs of
// the program go to a writer. An error comes with a process that does not run.
func startProcess(program string, args, env []string, output io.Writer) (*process, error) {
	p := &process{command: exec.Command(program, args...), ended: make(chan struct{})}
	p.command.Env = env
	p.command.Stdout = output
	p.command.Stderr = output
	// Tie starts the command, and calls the function when it has ended. The error of the command is
	// left out here, because it is in the state.
	return p, enginetest.Tie(p.command, func(error) { close(p.ended) })
}

// signal sends a signal, which has no effect on a process that has ended.
func (p *process) signal(s syscall.Signal) { _ = p.command.Process.Signal(s) }

// state describes how the process has ended. It may be used after ended is closed.
func (p *process) state() string { return p.command.ProcessState.String() }

// limitFiles sets the size, in bytes, to which the process may let a file grow: writes after that
// fail, as on a full disk. The process keeps running, because the runtime of Go ignores the signal
// of the kernel.
func (p *process) limitFiles(size uint64) error {
	// prlimit(pid, RLIMIT_FSIZE, &limit, NULL). The highest value stays, so that the limit can be
	// lifted again.
	limit := struct{ now, highest uint64 }{size, math.MaxUint64}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(p.command.Process.Pid),
		syscall.RLIMIT_FSIZE,
		uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("limit the size of files: %w", errno)
	}
	return nil
}

// usage is what a process uses.
type usage struct {
	Memory int // megabytes of resident memory
	Peak   int // the highest Memory so far
	Files  int // open descriptors

	Goroutines int // of the server, which server.usage asks
}

// usage reads what the process uses, without Goroutines. It is zero if the process has ended.
func (p *process) usage() (u usage) {
	dir := "/proc/" + strconv.Itoa(p.command.Process.Pid)
	// The memory now and at most, in MB.
	status, _ := os.ReadFile(dir + "/status")
	for line := range bytes.Lines(status) {
		fields := strings.Fields(string(line))
		if len(fields) < 2 {
			continue
		}
		n, _ := strconv.Atoi(fields[1]) // kB, in the lines that are read
		switch fields[0] {
		case "VmRSS:":
			u.Memory = n >> 10
		case "VmHWM:":
			u.Peak = n >> 10
		}
	}
	// The open descriptors.
	files, _ := os.ReadDir(dir + "/fd")
	u.Files = len(files)
	return u
}

// isClosed reports whether the other side has closed a TCP connection, or the connection cannot be
// asked. It reads nothing of what has arrived.
func isClosed(conn net.Conn) (closed bool) {
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		return true
	}
	err = raw.Control(func(fd uintptr) {
		// Ask for TCP_INFO, which begins with the state of the connection.
		var info struct {
			state uint8
			_     [255]byte // what follows, of any version of the kernel
		}
		size := uint32(unsafe.Sizeof(info))
		_, _, errno := syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, syscall.IPPROTO_TCP,
			syscall.TCP_INFO,
			uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
		closed = errno != 0 || info.state != established
	})
	return closed || err != nil
}

const established = 1 // TCP_ESTABLISHED
