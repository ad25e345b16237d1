package enginetest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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
