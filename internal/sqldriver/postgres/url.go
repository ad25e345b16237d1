package postgres

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

// execMode is the parameter of a URL that decides how the driver sends statements.
const execMode = "default_query_exec_mode"

var errURL = errors.New("the URL must be postgres://user:password@host:5432/name, " +
	"with special characters of user and password percent-encoded")

// parse parses a URL. It does not return the errors of the driver, because they may quote
// the URL with its password. As with libpq, the environment has defaults for what the URL leaves
// out, such as PGPASSWORD.
//
// Of several hosts, separated by commas, a connection is to the first that accepts writes.
func parse(rawURL string) (*pgx.ConnConfig, error) {
	u, err := url.Parse(oneHost(rawURL))
	if err != nil || !isPostgres(u.Scheme) || u.User.Username() == "" || u.Hostname() == "" || u.Fragment != "" {
		return nil, errURL
	}
	if name := strings.Trim(u.Path, "/"); name == "" || strings.Contains(name, "/") {
		return nil, fmt.Errorf("the postgres URL names no database: %w", errURL)
	}
	config, err := pgx.ParseConfig(rawURL)
	if err != nil {
		// Its error quotes the URL, and has a cause that names the parameter.
		return nil, fmt.Errorf("a parameter of the postgres URL: %w",
			cmp.Or(errors.Unwrap(err), errURL))
	}

	// The settings that the statements of package sqldb rely on.
	config.RuntimeParams["datestyle"] = "ISO, YMD" // of a time that is converted to text
	config.RuntimeParams["timezone"] = "UTC"
	given := u.Query()
	if !given.Has(execMode) {
		// The default of the driver prepares statements on the server, where another client of a
		// pooler in transaction mode does not find them.
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if hasSeveral := u.Host != sqldriver.HostOf(rawURL); hasSeveral && !given.Has("target_session_attrs") {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	// If a context ends, the driver closes the connection and asks the server to end the statement,
	// unless that is COMMIT (commitConn).
	// Its handler that keeps the connection is not used: when the client of a cancel request leaves
	// before the answer, as that handler does, pgbouncer 1.18 ends.
	if !given.Has("connect_timeout") {
		config.ConnectTimeout = 5 * time.Second
	}
	return config, nil
}

func isPostgres(scheme string) bool { return scheme == "postgres" || scheme == "postgresql" }

// oneHost returns a URL without its hosts after the first, because [url.Parse] refuses several with
// ports.
func oneHost(rawURL string) string {
	hosts := sqldriver.HostOf(rawURL)
	first, _, _ := strings.Cut(hosts, ",")
	return strings.Replace(rawURL, hosts, first, 1)
}
