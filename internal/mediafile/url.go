package mediafile

import (
	"errors"
	"net/url"
	"strings"
)

// Base is the URL below which browsers find files.
type Base string

// ParseBase returns a base without its last slash. It returns an error if baseURL is not an
// absolute http or https URL without a query.
func ParseBase(baseURL string) (Base, error) {
	base, err := url.Parse(baseURL)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") ||
		base.RawQuery+base.Fragment != "" {
		return "", errors.New("base URL: not an absolute http or https URL without a query")
	}
	return Base(strings.TrimRight(base.String(), "/")), nil
}

// URL returns the URL of a file, with its name escaped.
func (b Base) URL(name string) string {
	return string(b) + (&url.URL{Path: "/" + name}).EscapedPath()
}
