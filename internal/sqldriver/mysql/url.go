package mysql

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

var (
	errURL = errors.New("the URL must be mysql://user:password@host:3306/name, " +
		"with special characters of user and password percent-encoded")
	errSeveralHosts = errors.New("the mysql URL has several hosts: give the address of a proxy " +
		"that chooses one, such as MySQL Router or ProxySQL")
)

// Config returns the settings of a URL mysql://user:password@host:port/name?parameters. The
// password, the port (3306) and the parameters may be left out. It does not return the errors of
// [url.Parse], because they quote the URL with its password.
func Config(rawURL string) (*mysql.Config, error) {
	// Several hosts have an error of their own. url.Parse accepts some lists of hosts.
	if strings.Contains(sqldriver.HostOf(rawURL), ",") {
		return nil, errSeveralHosts
	}
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != "mysql" || u.User.Username() == "" || u.Hostname() == "" || u.Opaque != "" ||
		u.Fragment != "" { // u.Opaque is the text after "mysql:" without "//"
		return nil, errURL
	}
	name := strings.TrimPrefix(u.Path, "/")
	if name == "" || strings.Contains(name, "/") {
		return nil, fmt.Errorf("the mysql URL names no database: %w", errURL)
	}
	port := u.Port()
	if port == "" {
		port = "3306"
	}
	c := defaults()
	c.User = u.User.Username()
	c.DBName = name
	c.Addr = net.JoinHostPort(u.Hostname(), port)
	c.Passwd, _ = u.User.Password() // "" for none
	params, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errURL
	}
	return c, setParams(c, params)
}

// defaults returns the settings that the statements of package sqldb rely on.
func defaults() *mysql.Config {
	c := mysql.NewConfig()
	c.Net = "tcp"
	c.ParseTime, c.Loc = true, time.UTC
	c.ClientFoundRows = true   // an UPDATE counts the rows that match, as on SQLite
	c.InterpolateParams = true // one round trip for each statement
	c.Timeout = 5 * time.Second
	c.ReadTimeout = 30 * time.Second
	c.WriteTimeout = 30 * time.Second
	c.Logger = &mysql.NopLogger{} // a library does not write to the terminal
	c.Params = map[string]string{
		"time_zone": "'+00:00'",
		"sql_mode": "'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE," +
			"ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
		// The shortest time that every server accepts, because a transaction that waits
		// keeps a connection.
		"innodb_lock_wait_timeout": "1",
	}
	// So that constants in a statement have the collation of the columns. Charset never fails: the
	// server refuses a name that it does not know.
	_ = c.Apply(mysql.Charset("utf8mb4", "utf8mb4_bin"))
	return c
}

// setParams sets the parameters of a URL in c: tls, timeout, readTimeout and writeTimeout. A time
// of 0 is no limit. It returns an error for another parameter and for an invalid value.
func setParams(c *mysql.Config, params url.Values) error {
	durations := map[string]*time.Duration{"timeout": &c.Timeout, "readTimeout": &c.ReadTimeout,
		"writeTimeout": &c.WriteTimeout}
	for name := range params {
		value := params.Get(name)
		if name == "tls" {
			if !slices.Contains([]string{"true", "skip-verify", "preferred", "false"}, value) {
				return fmt.Errorf(
					"the mysql URL: tls=%q is not true, skip-verify, preferred or false", value)
			}
			c.TLSConfig = value
			continue
		}
		setting, known := durations[name]
		if !known {
			return fmt.Errorf("the mysql URL has the unknown parameter %q", name)
		}
		parsed, err := time.ParseDuration(value)
		if err != nil || parsed < 0 {
			return fmt.Errorf("the mysql URL: %s=%q is not a duration such as 5s", name, value)
		}
		*setting = parsed
	}
	return nil
}
