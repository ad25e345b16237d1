package enginetest

import (
	"io"
	"os/exec"
	"runtime"
	"syscall"
)

// process is a child of this one.
type process struct {
	command *exec.Cmd
	ended   chan struct{} // closed when it has ended
	err     error         // why it ended; read it after ended only
}

// spawn starts a child process. On Linux the child ends with this process, however this process ends. The child
// prints to output, which may be nil.
func spawn(line []string, output io.Writer) (*process, error) {
	p := &process{command: exec.Command(line[0], line[1:]...), ended: make(chan struct{})}
	p.command.Stdout, p.command.Stderr = output, output
	p.command.SysProcAttr = dieWithParent()
	started := make(chan error)
	go func() {
		// For Linux the parent is the thread that started the child, so that the thread must live as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.command.Start()
		started <- err
		if err == nil {
			p.err = p.command.Wait()
		}
		close(p.ended)
	}()
	return p, <-started
}

// signal sends a signal. It ignores the error if the child has ended.
func (p *process) signal(s syscall.Signal) { _ = p.command.Process.Signal(s) }
