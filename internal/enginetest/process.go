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
	ended   chan struct{} // closed when it is gone
	err     error         // why it ended; to be read after ended
}

// spawn starts a child that dies with this process, however this process dies (on Linux). What the child prints
// goes to output, which may be nil.
func spawn(line []string, output io.Writer) (*process, error) {
	p := &process{command: exec.Command(line[0], line[1:]...), ended: make(chan struct{})}
	p.command.Stdout, p.command.Stderr = output, output
	p.command.SysProcAttr = dieWithParent()
	started := make(chan error)
	go func() {
		// To Linux the parent is the thread that made the child, not the process: it must live as long as the child.
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

// signal sends a signal; It ignores the error if the child has ended.
func (p *process) signal(s syscall.Signal) { _ = p.command.Process.Signal(s) }
