package sandbox

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The limits of Stripe on metadata.
const (
	maxMetadata      = 50
	maxMetadataKey   = 40  // code points
	maxMetadataValue = 500 // code points
)

// stripeForm holds the parameters of a request: those of its form, or of its query.
type stripeForm struct {
	values   url.Values // without those below
	metadata map[string]string
	expand   []string
}

var (
	metadataParam = regexp.MustCompile(`^metadata\[([^\[\]]+)\]$`)
	expandParam   = regexp.MustCompile(`^expand\[\d*\]$`)
)

// readStripeForm reads the parameters of a request. It refuses those that are not allowed, as
// Stripe does, so that a misspelt one does not go unnoticed.
func readStripeForm(r *http.Request, allowed ...string) (stripeForm, error) {
	all := r.URL.Query()
	if r.Method == http.MethodPost {
		body, err := readBody(r)
		if err != nil {
			return stripeForm{}, refuse("", "The body cannot be read.")
		}
		kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		if len(body) > 0 && kind != "application/x-www-form-urlencoded" {
			return stripeForm{}, refuse("", "Invalid request (check that your POST content type "+
				"is application/x-www-form-urlencoded).")
		}
		if all, err = url.ParseQuery(string(body)); err != nil {
			return stripeForm{}, refuse("", "The body is not a form.")
		}
	}
	form := stripeForm{values: url.Values{}, metadata: map[string]string{}}
	for name, values := range all {
		switch key := metadataParam.FindStringSubmatch(name); {
		case key != nil && slices.Contains(allowed, "metadata"):
			form.metadata[key[1]] = values[0]
		case expandParam.MatchString(name):
			form.expand = append(form.expand, values...)
		case slices.Contains(allowed, name):
			form.values[name] = values
		default:
			e := refuse(name, "Received unknown parameter: "+name)
			e.Code = "parameter_unknown"
			return stripeForm{}, e
		}
	}
	return form, form.checkMetadata()
}

// checkMetadata returns the error of metadata that breaks a limit of Stripe.
func (f stripeForm) checkMetadata() error {
	if len(f.metadata) > maxMetadata {
		return refuse("metadata", "Metadata can have up to 50 keys.")
	}
	for key, value := range f.metadata {
		if utf8.RuneCountInString(key) > maxMetadataKey ||
			utf8.RuneCountInString(value) > maxMetadataValue {
			return refuse("metadata["+key+"]", "Metadata keys can have up to 40 characters, and "+
				"values up to 500.")
		}
		if value == "" { // Stripe removes the key
			delete(f.metadata, key)
		}
	}
	return nil
}

// integer returns a parameter that must be a positive integer.
func (f stripeForm) integer(name string) (int64, error) {
	n, err := strconv.ParseInt(f.values.Get(name), 10, 64)
	if err != nil || n <= 0 {
		e := refuse(name, "Invalid integer: "+f.values.Get(name))
		e.Code = "parameter_invalid_integer"
		return 0, e
	}
	return n, nil
}

// stripeList answers a page of a list, as the parameters limit and starting_after say. all must
// have the newest first, as Stripe has.
func stripeList[T any](w http.ResponseWriter, r *http.Request, f stripeForm, all []T,
	id func(T) string) error {
	limit := int64(10)
	if f.values.Has("limit") {
		var err error
		if limit, err = f.integer("limit"); err != nil || limit > 100 {
			return refuse("limit", "The limit must be from 1 to 100.")
		}
	}
	if after := f.values.Get("starting_after"); after != "" {
		i := slices.IndexFunc(all, func(one T) bool { return id(one) == after })
		if i < 0 {
			return noSuch("object", "starting_after", after)
		}
		all = all[i+1:]
	}
	page := all[:min(int64(len(all)), limit)]
	path, _ := strings.CutPrefix(r.URL.Path, StripePath)
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "url": path,
		"data": append([]T{}, page...), "has_more": len(page) < len(all)})
	return nil
}
