package contracttest

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// Expander replaces the marks {{…}} of a request. It expands the body before the headers, because
// headers may sign the body.
type Expander struct {
	TB        testing.TB
	Providers *sandbox.Sandbox
	Now       func() time.Time
	body      string // of the request, expanded
	prefix    string // of all paths

	secrets []string // expanded values that must not be logged
}

// Expand replaces every mark. A mark may contain pairs of braces.
func (e *Expander) Expand(text string) string {
	e.TB.Helper()
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		mark := inner(rest)
		b.WriteString(e.value(mark))
		text = strings.TrimPrefix(rest[len(mark):], "}}")
	}
}

// inner returns the text before the }} that ends a mark, in which pairs of braces may stand. It
// returns all of text if nothing ends the mark.
func inner(text string) string {
	depth := 0
	for i := range len(text) {
		switch {
		case text[i] == '{':
			depth++
		case text[i] == '}' && depth > 0:
			depth--
		case text[i] == '}':
			return text[:i]
		}
	}
	return text
}

// value returns the text that replaces a mark: its first word is a name, and the others are
// arguments.
func (e *Expander) value(mark string) string {
	e.TB.Helper()
	name, rest, _ := strings.Cut(mark, " ")
	args := strings.Fields(rest)
	switch name {
	case "token":
		return e.secret(e.token(args[0], args[1:]))
	case "signature": // of an order and a payment
		return e.secret(e.Providers.Gateway().Signature(args[0], args[1]))
	case "gateway-signature":
		return e.secret(e.gatewaySignature(strings.Join(args, " ")))
	case "stripe-signature":
		return e.secret(e.Providers.Stripe().SignWebhook([]byte(e.body), e.Now()))
	case "hook":
		return e.hook(args)
	case "repeat": // a text, n times
		return strings.Repeat(args[0], number(e.TB, args[1]))
	case "link": // of a paper: its query, for a number of minutes
		return e.secret(linkOf(args[0], e.Now(), number(e.TB, args[1])))
	case "text": // characters that a file cannot show
		text, err := strconv.Unquote(rest)
		check(e.TB, err)
		return text
	case "zip": // of entries: a name and a content each, as Go strings
		return zipOf(e.TB, rest)
	case "course":
		return CourseData(e.TB, rest)
	case "file":
		return string(images[args[0]](e.TB))
	case "image":
		return string(imageOf(e.TB, number(e.TB, args[0])))
	default:
		e.TB.Fatalf("unknown mark {{%s}}", mark)
		return ""
	}
}

// zipOf returns a zip of the entries in a list of Go strings.
func zipOf(tb testing.TB, list string) string {
	tb.Helper()
	var b strings.Builder
	w := zip.NewWriter(&b)
	next := func() string {
		quoted, err := strconv.QuotedPrefix(list)
		check(tb, err)
		list = strings.TrimSpace(list[len(quoted):])
		text, err := strconv.Unquote(quoted)
		check(tb, err)
		return text
	}
	for list = strings.TrimSpace(list); list != ""; {
		out, err := w.CreateHeader(&zip.FileHeader{Name: next()})
		check(tb, err)
		_, err = io.WriteString(out, next())
		check(tb, err)
	}
	check(tb, w.Close())
	return b.String()
}

// secret returns a text, and records that it must not be logged.
func (e *Expander) secret(s string) string {
	e.secrets = append(e.secrets, s)
	return s
}

func number(tb testing.TB, s string) int {
	tb.Helper()
	n, err := strconv.Atoi(s)
	check(tb, err)
	return n
}

// token returns a session token of a user, with unusual properties such as "expired" or
// "iat=2026-01-01T00:00:00Z".
func (e *Expander) token(person string, properties []string) string {
	e.TB.Helper()
	// which is signed much faster than RS256
	opts := []sandbox.TokenOption{sandbox.WithAlg("ES256")}
	for _, how := range properties {
		name, value, _ := strings.Cut(how, "=")
		opts = append(opts, e.tokenOption(name, value))
	}
	token, err := e.Providers.Identity().Token(person, opts...)
	check(e.TB, err)
	return token
}

// tokenOption returns the option for a property of a token. value is "" if the property has none.
func (e *Expander) tokenOption(name, value string) sandbox.TokenOption {
	e.TB.Helper()
	switch name {
	case "expired": // a second ago: there is no leeway
		return sandbox.WithTTL(-time.Second)
	case "iat": // issued then, and still valid
		at, err := time.Parse(time.RFC3339, value)
		check(e.TB, err)
		return sandbox.WithClaims(map[string]any{"iat": at.Unix(), "nbf": at.Unix(),
			"exp": e.Now().Add(time.Hour).Unix()})
	case "without":
		return sandbox.WithClaims(map[string]any{value: nil})
	case "role":
		return sandbox.WithRole(value)
	case "metadata":
		return sandbox.WithClaims(map[string]any{"metadata": json.RawMessage(value)})
	case "issuer":
		return sandbox.WithClaims(map[string]any{"iss": value})
	case "unsigned":
		return sandbox.WithKey(jwt.SigningMethodNone, e.kid(), jwt.UnsafeAllowNoneSignatureType)
	case "hmac":
		return sandbox.WithKey(jwt.SigningMethodHS256, e.kid(), []byte("a secret that is public"))
	case "sub":
		return sandbox.WithClaims(map[string]any{"sub": value})
	}
	e.TB.Fatalf("unknown property of a token: %q", name)
	return nil
}

// kid returns a key id that the verifier knows, so that it does not refuse the token for the id.
func (e *Expander) kid() string { return e.Providers.Identity().Keys()[0].ID }

// gatewaySignature returns the gateway's signature of the body, or, as how says, an invalid one or
// one with another secret.
func (e *Expander) gatewaySignature(how string) string {
	e.TB.Helper()
	right := e.Providers.Gateway().SignWebhook([]byte(e.body))
	switch how {
	case "":
		return right
	case "with the second secret":
		return mac(GatewaySecondSecret, e.body)
	case "with the key secret":
		return mac(GatewayKeySecret, e.body)
	case "in capitals":
		return strings.ToUpper(right)
	case "cut short":
		return right[:len(right)-2]
	case "and more":
		return right + "00"
	case "before one byte was changed":
		return e.Providers.Gateway().SignWebhook([]byte("[" + e.body[1:]))
	case "before a blank was added":
		return e.Providers.Gateway().SignWebhook([]byte(strings.TrimSuffix(e.body, " ")))
	}
	e.TB.Fatalf("unknown property of a gateway's signature: %q", how)
	return ""
}

// hook returns the three headers of a webhook of the identity provider, one a line. args are its id
// and its unusual properties. The timestamp has whole seconds, and is rounded down. So "early=1m"
// adds almost a second, because rounding must not make the webhook less early.
func (e *Expander) hook(args []string) string {
	e.TB.Helper()
	id, at := args[0], e.Now()
	header := e.Providers.Identity().SignWebhook
	leftOut := map[string]bool{} // names of headers
	for _, how := range args[1:] {
		name, value, _ := strings.Cut(how, "=")
		switch name {
		case "late", "early":
			by, err := time.ParseDuration(value)
			check(e.TB, err)
			if at = at.Add(-by); name == "early" {
				at = e.Now().Add(by + time.Second - time.Nanosecond)
			}
		case "second-secret", "both-secrets", "wrong-secret", "plain":
			header = signer(e.TB, e.Providers, name)
		case "without":
			leftOut["hook-"+value] = true
		default:
			e.TB.Fatalf("unknown property of a webhook: %q", how)
		}
	}

	// Sign the body.
	var lines []string
	h := header([]byte(e.body), id, at.Truncate(time.Second))
	e.secret(h.Get("hook-signature"))
	for _, name := range []string{"hook-id", "hook-timestamp", "hook-signature"} {
		if !leftOut[name] {
			lines = append(lines, name+": "+h.Get(name))
		}
	}
	return strings.Join(lines, "\n")
}

// signs signs a webhook with an id and a time, and returns its headers.
type signs = func(body []byte, id string, at time.Time) http.Header

// signer returns a function that signs a webhook with other secrets than the sandbox's, or leaves
// out the version of the signature, as how says.
func signer(tb testing.TB, sb *sandbox.Sandbox, how string) signs {
	secrets := map[string][]string{
		"second-secret": {IdentitySecondSecret},
		"both-secrets":  {"whsec_bm90LXRoZS1zZWNyZXQtb2YtdGhlLWZpeHR1cmU=", IdentitySecret},
		"wrong-secret":  {"whsec_bm90LXRoZS1zZWNyZXQtb2YtdGhlLWZpeHR1cmU="},
	}
	return func(body []byte, id string, at time.Time) http.Header {
		h := sb.Identity().SignWebhook(body, id, at)
		if how == "plain" { // the right bytes, without the version
			h.Set("hook-signature", strings.TrimPrefix(h.Get("hook-signature"), "v1,"))
			return h
		}
		var all []string
		for _, secret := range secrets[how] {
			all = append(all,
				standardSignature(tb, secret, fmt.Sprintf("%s.%d.%s", id, at.Unix(), body)))
		}
		h.Set("hook-signature", strings.Join(all, " "))
		return h
	}
}

// CourseData returns the courseData of a valid upload. replace is a JSON object with fields that
// replace others, or "without=" and the name of a field to leave out.
func CourseData(tb testing.TB, replace string) string {
	tb.Helper()
	course := map[string]json.RawMessage{} // numbers stay as they are written
	check(tb,
		json.Unmarshal(
			[]byte(
				`{"courseTitle":"New","courseDescription":"Fresh","coursePrice":19.99,"discount":15,"courseContent":[
		{"chapterId":"c1","chapterOrder":1,"chapterTitle":"One","chapterContent":[
			{"lectureId":"l1","lectureTitle":"First","lectureDuration":1.5,"lectureUrl":"https://videos.example.org/n","isPreviewFree":true,"lectureOrder":1}]}]}`), &course))
	if field, without := strings.CutPrefix(replace, "without="); without {
		delete(course, field)
	} else if replace != "" {
		check(tb, json.Unmarshal([]byte(replace), &course))
	}
	text, err := json.Marshal(course)
	check(tb, err)
	return string(text)
}
