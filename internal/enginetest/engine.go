package enginetest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// engine is a kind of database server.
type engine struct {
	name string                  // as in LEARNING_TEST_REQUIRE
	find func() (program, error) // the error says where it was searched
}

// program is an engine found on this machine: two command lines, to which the flags that name folder and port are
// appended.
type program struct {
	install []string // makes an empty data folder whose root logs in without a password
	serve   []string
}

var (
	mariaDB = engine{name: "mariadb", find: findMariaDB}
	mySQL   = engine{name: "mysql", find: findMySQL}
)

func findMariaDB() (program, error) {
	server, err := lookUp("mariadbd")
	if err != nil {
		return program{}, err
	}
	installer, err := lookUp("mariadb-install-db")
	if err != nil {
		return program{}, err
	}
	flags := append([]string{"--no-defaults", "--skip-name-resolve", "--innodb-log-file-size=16M"}, asRoot()...)
	return program{
		install: slices.Concat([]string{installer}, flags,
			[]string{"--auth-root-authentication-method=normal", "--skip-test-db",
				"--force"}), // also on a machine whose own name cannot be looked up
		serve: slices.Concat([]string{server}, flags, []string{"--innodb-buffer-pool-size=32M"}),
	}, nil
}

// lookUp finds a command on PATH or in /usr/sbin, which has Debian's servers and is not on an ordinary user's PATH.
func lookUp(command string) (string, error) {
	path, err := exec.LookPath(command)
	if err == nil {
		return path, nil
	}
	path = filepath.Join("/usr/sbin", command)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("no %s on PATH or in /usr/sbin", command)
	}
	return path, nil
}

// findMySQL finds the server in an unpacked Debian root. It runs with the loader and the libraries of that root, which
// are newer than the system's.
func findMySQL() (program, error) {
	root, err := mySQLRoot()
	if err != nil {
		return program{}, err
	}
	server := filepath.Join(root, "usr/sbin/mysqld")
	libraries := filepath.Join(root, "usr/lib/x86_64-linux-gnu")
	loader := filepath.Join(libraries, "ld-linux-x86-64.so.2")
	for _, file := range []string{server, loader} {
		if _, err := os.Stat(file); err != nil {
			return program{}, fmt.Errorf("no %s", file)
		}
	}
	serve := append([]string{
		loader, "--library-path", libraries, server, "--no-defaults",
		"--basedir=" + filepath.Join(root, "usr"),
		"--lc-messages-dir=" + filepath.Join(root, "usr/share/mysql"),
		"--character-sets-dir=" + filepath.Join(root, "usr/share/mysql/charsets"),
		"--plugin-dir=" + filepath.Join(root, "usr/lib/mysql/plugin"),
		"--secure-file-priv=NULL", "--mysqlx=OFF",
		"--innodb-buffer-pool-size=32M", "--innodb-redo-log-capacity=16M", "--performance-schema=OFF", "--disable-log-bin",
	}, asRoot()...)
	return program{install: slices.Concat(serve, []string{"--initialize-insecure"}), serve: serve}, nil
}

// mySQLRoot returns the folder in LEARNING_TEST_MYSQL_ROOT, or else .cache/mysql of the module.
func mySQLRoot() (string, error) {
	if root := os.Getenv("LEARNING_TEST_MYSQL_ROOT"); root != "" {
		return filepath.Abs(root)
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, ".cache/mysql"), nil
		}
	}
	return "", errors.New("not inside a module, and LEARNING_TEST_MYSQL_ROOT is not set")
}

// asRoot is the flag that both servers require to run as root.
func asRoot() []string {
	if os.Getuid() == 0 {
		return []string{"--user=root"}
	}
	return nil
}
