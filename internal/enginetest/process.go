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

// spawn starts a child process. On Linux the child ends with this process, however this process
// ends. The child prints to output, which may be nil. how says with which environment and as which
// user it runs.
func spawn(line []string, how program, output io.Writer) (*process, error) {
	p := &process{command: exec.Command(line[0], line[1:]...), ended: make(chan struct{})}
	p.command.Env = how.env
	if how.asNobody {
		p.command.SysProcAttr = &syscall.SysProcAttr{Credential: &nobody}
	}
	p.command.Stdout, p.command.Stderr = output, output
	return p, Tie(p.command, func(err error) {
		p.err = err
		close(p.ended)
	})
}

// Tie starts a command. On Linux its process ends with this one, however this one ends. Tie calls
// ended with the result of Wait, from another goroutine, if the command was started.
func Tie(command *exec.Cmd, ended func(error)) error {
	dieWithParent(command)
	started := make(chan error)
	go func() {
		// For Linux the parent is the thread that started the child, so that the thread must live
		// as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			ended(command.Wait())
		}
	}()
	return <-started
}

// signal sends a signal. It ignores the error if the child has ended.
func (p *process) signal(s syscall.Signal) { _ = p.command.Process.Signal(s) }
