package enginetest

import (
	"context"
	"database/sql/driver"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

var postgreSQL = engine{name: "postgres", find: findPostgres, start: startNew}

// PostgreSQL is like [MariaDB], on PostgreSQL: the URL is postgres://postgres@127.0.0.1:PORT/NAME.
func PostgreSQL(tb testing.TB) string {
	tb.Helper()
	return sharedPostgreSQL.database(tb)
}

// findPostgres finds the newest server of Debian's packages. It refuses to run as root, so that it
// runs as the user nobody then.
func findPostgres() (program, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil {
		return program{}, err
	}
	if len(found) == 0 {
		return program{}, fmt.Errorf("no /usr/lib/postgresql/*/bin/postgres")
	}
	server := slices.Max(found)
	return program{
		family: &postgresFamily,
		install: []string{filepath.Join(filepath.Dir(server), "initdb"), "--username=postgres",
			"--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"},
		serve:    []string{server},
		asNobody: os.Getuid() == 0,
	}, nil
}

// Administrator is the name, at PostgreSQL, of connections that are not of tests: see [instance].
const Administrator = "enginetest"

// postgresFamily is PostgreSQL.
var postgresFamily = family{
	connector: func(port int, database string) (driver.Connector, error) {
		if database == "" {
			database = "postgres"
		}
		config, err := pgx.ParseConfig(postgresURL(port, database))
		if err != nil {
			return nil, err
		}
		config.RuntimeParams["application_name"] = Administrator
		return stdlib.GetConnector(*config), nil
	},
	url: postgresURL,
	create: func(s *instance, database string) error {
		var exists bool
		err := s.admin.QueryRow("SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)",
			database).Scan(&exists)
		if err != nil || exists {
			return err
		}
		return s.exec("CREATE DATABASE " + database)
	},
	drop: func(s *instance, database string) error {
		// PostgreSQL drops no database that has a connection, and notices the end of one late.
		ctx, cancel := context.WithTimeout(context.Background(), statementTimeout)
		defer cancel()
		if err := s.awaitNoConnection(ctx, database); err != nil {
			return err
		}
		return s.exec("DROP DATABASE " + database)
	},
	installFlags: func(s *instance) []string { return []string{"--pgdata=" + s.data()} },
	flags: func(s *instance) []string {
		return []string{
			"-D", s.data(),
			"-p", strconv.Itoa(s.port),
			"-c", "listen_addresses=127.0.0.1",
			"-c", "unix_socket_directories=", // none
			"-c", "dynamic_shared_memory_type=mmap", // in the data folder, which is removed
			"-c", "cluster_name=" + strconv.FormatUint(uint64(s.id), 10),
			"-c", "max_connections=1000",
			"-c", "shared_buffers=32MB",
			// Without statistics, queries of few rows look so dear that they would be compiled.
			"-c", "jit=off",
			"-c", "logging_collector=on",
			"-c", "log_directory=" + s.dir,
			"-c", "log_filename=" + filepath.Base(s.errorLog()),
		}
	},
	stop:    syscall.SIGINT,  // SIGTERM waits for the clients
	kill:    syscall.SIGQUIT, // without a checkpoint; the next start recovers
	idQuery: "SHOW cluster_name",
	connectionsQuery: "SELECT pid::text FROM pg_stat_activity WHERE datname = $1 AND " +
		"application_name <> '" + Administrator + "'",
	clear: func(ctx context.Context, s *instance, database string) error {
		db, err := s.kept(database)
		if err != nil {
			return err
		}
		// A table that is new or truncated has no pages. After a DELETE, the next tests would read
		// the dead rows until a vacuum.
		filled, err := texts(ctx, db, "SELECT relname FROM pg_class WHERE relkind = 'r' AND "+
			"relnamespace = current_schema::regnamespace AND relname <> '"+keptTable+"' AND "+
			"pg_relation_size(oid) > 0")
		if err != nil || len(filled) == 0 {
			return err
		}
		_, err = db.ExecContext(ctx, "TRUNCATE "+strings.Join(filled, ", "))
		return err
	},
}

func postgresURL(port int, database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", port, database)
}
