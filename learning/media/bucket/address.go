package bucket

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/provider"
)

// Address says where a bucket is.
type Address struct {
	Endpoint string // URL of the service; default https://s3.amazonaws.com
	Region   string // default us-east-1
	Name     string // of the bucket
	Prefix   string // folder in the bucket; default none
	// "path" or "virtual": where requests name the bucket; default virtual at Amazon, path
	// elsewhere
	Style string
}

const (
	amazon        = "https://s3.amazonaws.com"
	defaultRegion = "us-east-1"
)

// bucketName is the rule for names of buckets.
var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// parameters are the parameters of the query of an address.
var parameters = []string{"endpoint", "region", "addressing_style"}

// ParseAddress parses s3://BUCKET/PREFIX?endpoint=URL&region=REGION&addressing_style=path, of
// which only BUCKET is required. It returns an error that does not repeat the address if it
// is not of this form, and also if it contains a user or a password: keys are given to [Open].
func ParseAddress(address string) (Address, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "s3":
		return Address{},
			errors.New(
				"it must be s3://BUCKET, such as " +
					"s3://lectern/media?endpoint=https://s3.example.org&region=eu-central-1")
	case u.User != nil:
		return Address{}, errors.New("it must not contain keys: they have settings of their own")
	case u.Fragment != "":
		return Address{}, errors.New("it must not contain a #")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Address{}, errors.New("its query cannot be parsed")
	}
	for name, values := range query {
		if !slices.Contains(parameters, name) || len(values) != 1 {
			return Address{}, fmt.Errorf("its query may have each of %s once, and nothing else",
				strings.Join(parameters, ", "))
		}
	}
	a := Address{Endpoint: query.Get("endpoint"), Region: query.Get("region"), Name: u.Host,
		Prefix: strings.Trim(u.Path, "/"), Style: query.Get("addressing_style")}
	return a, a.check()
}

// check returns an error if the address cannot be used. The error does not repeat the address.
// check does not look whether the bucket exists.
func (a Address) check() error {
	if !bucketName.MatchString(a.Name) {
		return errors.New(
			"the name of a bucket has 3 to 63 lower-case letters, digits, dots and hyphens")
	}
	if a.Prefix != "" && (!fs.ValidPath(a.Prefix) || len(a.Prefix) > maxPrefix) {
		return errors.New("the path after the bucket must be a relative path, such as media")
	}
	if a.Style != "" && a.Style != "path" && a.Style != "virtual" {
		return errors.New("addressing_style must be path or virtual")
	}
	u, err := provider.URL(cmp.Or(a.Endpoint, amazon))
	if err != nil || u.User != nil || u.RawQuery != "" || strings.Trim(u.Path, "/") != "" {
		return errors.New(
			"endpoint must be an http or https URL of a host, such as https://s3.example.org")
	}
	return nil
}

const maxPrefix = 200 // bytes; with a name of 200 bytes it is below the limit of S3
