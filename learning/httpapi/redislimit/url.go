package redislimit

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"time"
)

var errURL = errors.New(
	"the URL must be redis://user:password@host:6379/0, or rediss for TLS, with special " +
		"characters of user and password percent-encoded")

// database is the path of a URL: the number of a database, or nothing.
var database = regexp.MustCompile(`^(/[0-9]*)?$`)

// parse returns the URL without its parameter, and the time-out of a request, by default
// defaultTimeout. Neither counts if there is an error. It does not return the errors of parsers,
// because they may quote the URL with its password.
func parse(rawURL string) (address string, timeout time.Duration, err error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Hostname() == "" || u.Opaque != "" || u.Fragment != "" ||
		(u.Scheme != "redis" && u.Scheme != "rediss") {
		return "", 0, errURL
	}
	if !database.MatchString(u.Path) {
		return "", 0, errURL
	}
	timeout, err = parseTimeout(u.RawQuery)
	u.RawQuery = ""
	return u.String(), timeout, err
}

// parseTimeout returns the time-out in the query of a URL, or defaultTimeout. It returns an error
// if the query has another parameter.
func parseTimeout(query string) (time.Duration, error) {
	params, err := url.ParseQuery(query)
	if err != nil {
		return 0, errURL
	}
	timeout := defaultTimeout
	for name := range params {
		if name != "timeout" {
			return 0, fmt.Errorf("the redis URL has the unknown parameter %q", name)
		}
		if timeout, err = time.ParseDuration(params.Get(name)); err != nil || timeout <= 0 {
			return 0, fmt.Errorf("the redis URL: timeout=%q is not a duration such as 50ms",
				params.Get(name))
		}
	}
	return timeout, nil
}
