package enginetest

import (
	"database/sql"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// HostPool opens the database of a URL of an [Engine] as a host does that has a pool of its own:
// with the settings that store.New asks for, and else with those of the driver. settings are
// parameters of the data source name, such as "loc=Local" or "_pragma=synchronous(OFF)", in place
// of those or in addition. The pool is closed when the test ends.
func HostPool(tb testing.TB, rawURL string, settings ...string) *sql.DB {
	tb.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		tb.Fatal(err)
	}
	driver, address := "pgx", strings.TrimSuffix(rawURL, "?"+u.RawQuery)
	params := strings.Split(u.RawQuery, "&")
	switch u.Scheme {
	case "sqlite":
		driver, address = "sqlite", "file:"+strings.TrimPrefix(rawURL, "sqlite:")
		params = []string{"_pragma=journal_mode(WAL)", "_pragma=synchronous(FULL)"}
	case "mysql":
		driver, address = "mysql", fmt.Sprintf("%s@tcp(%s)%s", u.User.Username(), u.Host, u.Path)
		params = []string{"parseTime=true", "loc=UTC", "clientFoundRows=true",
			"time_zone=%27%2B00:00%27"}
	}
	for _, setting := range settings {
		name, _, isPragma := strings.Cut(setting, "(")
		if !isPragma {
			name, _, _ = strings.Cut(setting, "=")
		}
		params = slices.DeleteFunc(params,
			func(other string) bool { return strings.HasPrefix(other, name) })
		params = append(params, setting)
	}
	db, err := sql.Open(driver, address+"?"+strings.Join(params, "&"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	return db
}
