package enginetest

import (
	"database/sql/driver"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/go-sql-driver/mysql"
)

// family is what servers with one protocol have in common.
type family struct {
	connector    func(port int, database string) (driver.Connector, error) // "" for no database
	url          func(port int, database string) string
	create       func(s *instance, database string) error // unless it exists
	drop         func(s *instance, database string) error
	installFlags func(s *instance) []string // the folders
	flags        func(s *instance) []string // folders and port
	stop         syscall.Signal             // ends a server and its connections in order
	kill         syscall.Signal             // ends a server at once, with all its processes

	idQuery          string // returns the id that flags gave the server
	connectionsQuery string // lists the ids of the connections to a database
	tablesQuery      string // lists the tables of a database, but keptTable
	// empty returns the statements that delete all rows of tables.
	empty func(tables []string) []string
}

// mysqlFamily are MariaDB and MySQL.
var mysqlFamily = family{
	connector: func(port int, database string) (driver.Connector, error) {
		config := mysql.NewConfig()
		config.User, config.Net = "root", "tcp"
		config.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		config.DBName = database
		config.Logger = &mysql.NopLogger{} // a server that is starting is not an error
		return mysql.NewConnector(config)
	},
	url: func(port int, database string) string {
		return fmt.Sprintf("mysql://root@127.0.0.1:%d/%s", port, database)
	},
	create: func(s *instance, database string) error {
		return s.exec("CREATE DATABASE IF NOT EXISTS " + database)
	},
	drop: func(s *instance, database string) error {
		return s.exec("DROP DATABASE " + database)
	},
	installFlags: func(s *instance) []string {
		// MariaDB's installer always uses the same names for temporary tables, so that two servers
		// with one folder for them crash each other.
		return []string{"--datadir=" + s.data(), "--tmpdir=" + s.dir}
	},
	flags: func(s *instance) []string {
		return []string{
			"--datadir=" + s.data(),
			"--tmpdir=" + s.dir,
			"--socket=sock", // relative to the data folder: the path of a socket must be short
			"--pid-file=" + filepath.Join(s.dir, "pid"),
			"--log-error=" + s.errorLog(),
			"--bind-address=127.0.0.1",
			"--port=" + strconv.Itoa(s.port),
			fmt.Sprintf("--server-id=%d", s.id),
			"--max-connections=1000", // the default, 151, is too few for the stores of several tests
		}
	},
	stop:             syscall.SIGTERM,
	kill:             syscall.SIGKILL,
	idQuery:          "SELECT @@server_id",
	connectionsQuery: "SELECT id FROM information_schema.processlist WHERE db = ?",
	tablesQuery: "SELECT table_name FROM information_schema.tables WHERE table_schema = ? AND " +
		"table_name <> '" + keptTable + "'",
	// TRUNCATE would take longer: it creates the files of a table anew.
	empty: func(tables []string) []string {
		statements := make([]string, len(tables))
		for i, table := range tables {
			statements[i] = "DELETE FROM " + table
		}
		return statements
	},
}
