package enginetest

import (
	"context"
	"database/sql/driver"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
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
	connectionsQuery string // lists the ids of the connections to a database, but that of clear
	// clear deletes all rows of a database of reuse but those of keptTable.
	clear func(ctx context.Context, s *instance, database string) error
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
	clear: func(ctx context.Context, s *instance, database string) error {
		tables, err := texts(ctx, s.admin, "SELECT table_name FROM information_schema.tables "+
			"WHERE table_schema = ? AND table_name <> '"+keptTable+"'", database)
		if err != nil || len(tables) == 0 {
			return err
		}

		// One query finds the tables that have rows: each part returns the name of its table, or
		// nothing.
		for i, table := range tables {
			tables[i] = fmt.Sprintf("(SELECT '%[1]s.%[2]s' FROM %[1]s.%[2]s LIMIT 1)", database,
				table)
		}
		filled, err := texts(ctx, s.admin, strings.Join(tables, " UNION ALL "))
		if err != nil {
			return err
		}

		// TRUNCATE would take longer: it creates the files of a table anew.
		for _, table := range filled {
			if _, err := s.admin.ExecContext(ctx, "DELETE FROM "+table); err != nil {
				return err
			}
		}
		return nil
	},
}
