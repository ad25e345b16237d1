package enginetest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// galera is MariaDB with three nodes, each of which takes reads and writes.
var galera = engine{name: "galera", find: findGalera, start: startSharedGalera}

// findGalera returns the program of a node: MariaDB with the library of Galera. Its flags lack the
// addresses of the cluster. It returns an error if the library, or a command that its scripts call,
// is not installed.
func findGalera() (program, error) {
	root, err := unpackedRoot("LEARNING_TEST_GALERA_ROOT", "galera")
	if err != nil {
		return program{}, err
	}
	library := filepath.Join(root, "usr/lib/galera/libgalera_smm.so")
	scripts := filepath.Join(root, "usr/bin")
	if err := exist(library, filepath.Join(scripts, "wsrep_sst_rsync")); err != nil {
		return program{}, err
	}
	for _, command := range []string{"rsync", "ps", "lsof"} { // called by the scripts
		if _, err := lookUp(command); err != nil {
			return program{}, err
		}
	}
	p, err := findMariaDB()
	if err != nil {
		return program{}, err
	}
	// The scripts of Galera need its own commands, and those in /usr/sbin.
	p.env = prependPath(append(os.Environ(), "PATH="+os.Getenv("PATH")+":/usr/sbin"), scripts)
	p.ready = "SELECT variable_value FROM information_schema.global_status WHERE variable_name = " +
		"'wsrep_local_state_comment' AND variable_value = 'Synced'"
	p.restart = recoveredPosition
	p.serve = slices.Concat(p.serve, []string{
		"--binlog-format=ROW", "--default-storage-engine=InnoDB", "--innodb-autoinc-lock-mode=2",
		"--innodb-flush-log-at-trx-commit=1",
		"--wsrep-on=ON", "--wsrep-provider=" + library, "--wsrep-sst-method=rsync",
	})
	return p, nil
}

// prependPath returns an environment in which commands are searched in a folder before the others.
func prependPath(env []string, folder string) []string {
	var path string
	rest := slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		value, isPath := strings.CutPrefix(v, "PATH=")
		if isPath {
			path = value
		}
		return isPath
	})
	return append(rest, "PATH="+folder+":"+path)
}

// recoveredPosition returns the flag with the position of a node that has crashed. The server finds
// it in the data. So the node receives only what it missed, as one of a real cluster does, whose
// service calls galera_recovery before each start. Otherwise another node would have to copy all
// its data to it, and refuse writes meanwhile.
func recoveredPosition(s *instance) ([]string, error) {
	state, err := os.ReadFile(filepath.Join(s.data(), "grastate.dat"))
	if errors.Is(err, fs.ErrNotExist) { // it has never run
		return nil, nil
	}
	if err != nil || !hasCrashed.Match(state) {
		return nil, err
	}
	log := filepath.Join(s.dir, "recovery.log")
	p, err := spawn(slices.Concat(s.program.serve, s.program.family.flags(s),
		[]string{"--wsrep-recover", "--log-error=" + log}), s.program, nil)
	if err != nil {
		return nil, fmt.Errorf("recover the position: %w", err)
	}

	// The server has written all that it recovered when it tells the position. Do not wait for its
	// end, because sometimes MariaDB 10.11 then waits for itself.
	defer func() {
		p.signal(syscall.SIGKILL)
		<-p.ended
	}()
	deadline := time.After(startTimeout)
	for {
		text, _ := os.ReadFile(log) // not there at first
		if position := recovered.FindSubmatch(text); position != nil {
			return []string{"--wsrep-start-position=" + string(position[1])}, os.Remove(log)
		}
		select {
		case <-p.ended:
			return nil, fmt.Errorf("recover the position: %v\n%s", p.err, text)
		case <-deadline:
			return nil, fmt.Errorf("recover the position: not done in time\n%s", text)
		case <-time.After(pollInterval):
		}
	}
}

var (
	// matches the file with the position of a node while it runs, and after a crash
	hasCrashed = regexp.MustCompile(`(?m)^seqno:\s*-1$`)
	recovered  = regexp.MustCompile(`WSREP: Recovered position: (\S+)\n`)
)
