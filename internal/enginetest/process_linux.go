package enginetest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// dieWithParent makes the system kill the process of a command when the thread that started it
// ends.
func dieWithParent(command *exec.Cmd) {
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	command.SysProcAttr.Pdeathsig = syscall.SIGKILL
}

// descendants returns the ids of the processes that a process has started, and of those that these
// have started.
func descendants(pid int) (ids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	started := map[string][]string{} // by the id of the parent
	for _, file := range files {
		stat, _ := os.ReadFile(file) // "" for a process that has ended
		// The state and the parent follow the name, which is in parentheses and may contain any
		// character.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) > 1 {
			started[fields[1]] = append(started[fields[1]], filepath.Base(filepath.Dir(file)))
		}
	}
	for queue := started[strconv.Itoa(pid)]; len(queue) > 0; queue = queue[1:] {
		queue = append(queue, started[queue[0]]...)
		if id, err := strconv.Atoi(queue[0]); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// isStopped reports whether every thread of a process is stopped. A signal reaches them one after
// the other. A thread that has ended meanwhile does not count, nor does one that has ended and
// stays a zombie because its parent is stopped.
func isStopped(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, file := range threads {
		stat, err := os.ReadFile(file)
		// The state, which is T if the thread is stopped and Z if it is a zombie, follows the name.
		// The name is in parentheses and may contain any character.
		state := stat[bytes.LastIndexByte(stat, ')')+1:]
		if err == nil && !bytes.HasPrefix(state, []byte(" T")) &&
			!bytes.HasPrefix(state, []byte(" Z")) {
			return false
		}
	}
	return true
}

// removeSegment removes a System V segment of shared memory, which a server that was killed has
// left. It does nothing for a negative id.
func removeSegment(id int) {
	const remove = 0 // IPC_RMID
	if id >= 0 {
		_, _, _ = syscall.Syscall(syscall.SYS_SHMCTL, uintptr(id), remove, 0)
	}
}
