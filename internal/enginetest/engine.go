package enginetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// engine is a database server, such as MariaDB.
type engine struct {
	name  string                             // as in LEARNING_TEST_REQUIRE
	find  func() (program, error)            // the error says where it was searched
	start func(p program) (*instance, error) // with an empty data folder
}

// program is an engine found on this machine: two command lines, to which the flags that name
// folder and port are appended.
type program struct {
	family  *family
	install []string // makes an empty data folder whose root logs in without a password
	serve   []string
	env     []string // replaces the environment of the server, unless it is nil
	// a query without rows until the server is ready; "" if that is when it answers
	ready string
	// returns more flags for the start of a server that has run before; nil for none
	restart func(s *instance) ([]string, error)
	// whether the commands run as the user nobody, to whom the folder of the server belongs
	asNobody bool
}

var (
	mariaDB = engine{name: "mariadb", find: findMariaDB, start: startNew}
	mySQL   = engine{name: "mysql", find: findMySQL, start: startNew}
)

// findMariaDB returns the commands of an installed MariaDB, with flags for little memory.
func findMariaDB() (program, error) {
	server, err := lookUp("mariadbd")
	if err != nil {
		return program{}, err
	}
	installer, err := lookUp("mariadb-install-db")
	if err != nil {
		return program{}, err
	}
	flags := append([]string{"--no-defaults", "--skip-name-resolve", "--innodb-log-file-size=16M"},
		asRoot()...)
	return program{
		family: &mysqlFamily,
		install: slices.Concat([]string{installer}, flags,
			[]string{"--auth-root-authentication-method=normal", "--skip-test-db",
				"--force"}), // also on a machine whose own name cannot be looked up
		serve: slices.Concat([]string{server}, flags, []string{"--innodb-buffer-pool-size=32M"}),
	}, nil
}

// lookUp finds a command on PATH or in /usr/sbin, which has Debian's servers and is not on an
// ordinary user's PATH.
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

// findMySQL finds the server in the files of Debian packages that were unpacked in a folder. It
// runs with the loader and the libraries of that folder, which are newer than the system's.
func findMySQL() (program, error) {
	root, err := unpackedRoot("LEARNING_TEST_MYSQL_ROOT", "mysql")
	if err != nil {
		return program{}, err
	}
	server := filepath.Join(root, "usr/sbin/mysqld")
	libraries := filepath.Join(root, "usr/lib/x86_64-linux-gnu")
	loader := filepath.Join(libraries, "ld-linux-x86-64.so.2")
	if err := exist(server, loader); err != nil {
		return program{}, err
	}
	serve := append([]string{
		loader, "--library-path", libraries, server, "--no-defaults",
		"--basedir=" + filepath.Join(root, "usr"),
		"--lc-messages-dir=" + filepath.Join(root, "usr/share/mysql"),
		"--character-sets-dir=" + filepath.Join(root, "usr/share/mysql/charsets"),
		"--plugin-dir=" + filepath.Join(root, "usr/lib/mysql/plugin"),
		"--secure-file-priv=NULL", "--mysqlx=OFF",
		"--innodb-buffer-pool-size=32M", "--innodb-redo-log-capacity=16M",
		"--performance-schema=OFF", "--disable-log-bin",
	}, asRoot()...)
	return program{
		family:  &mysqlFamily,
		install: slices.Concat(serve, []string{"--initialize-insecure"}),
		serve:   serve,
	}, nil
}

// exist returns an error that names the first file that does not exist.
func exist(files ...string) error {
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("no %s", file)
		}
	}
	return nil
}

// unpackedRoot returns the folder that an environment variable names, or else the folder
// .cache/name in the root of the module, which is the next folder above the working directory with
// a go.mod. It does not check that the folder exists.
func unpackedRoot(variable, name string) (string, error) {
	if root := os.Getenv(variable); root != "" {
		return filepath.Abs(root)
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, ".cache", name), nil
		}
	}
	return "", fmt.Errorf("not inside a module, and %s is not set", variable)
}

// asRoot returns the flag that both servers require to run as root, or nil if this process does not
// run as root.
func asRoot() []string {
	if os.Getuid() == 0 {
		return []string{"--user=root"}
	}
	return nil
}
