package openlectern_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"go/ast"
	"go/parser"
	"go/token"
	"image/color"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/ai"
	"github.com/openlectern/openlectern/learning/certificate"
	"github.com/openlectern/openlectern/learning/credential"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/httpapi/redislimit"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/media"
	"github.com/openlectern/openlectern/learning/media/bucket"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/sqlite"
	"github.com/openlectern/openlectern/learning/stripe"
	"github.com/openlectern/openlectern/learning/webhook"
)

// Pointers that are nil inside an interface which is not.
var (
	noClock     *learningtest.Clock
	noTransport *http.Transport
	noMux       *http.ServeMux
	noLogger    *slog.Logger
	noLimiter   httpapi.Limiter
)

// errorOf returns the error of a constructor.
func errorOf[T any](_ T, err error) error { return err }

// nilArguments returns the error of each constructor of which an argument or the argument of an
// option is nil, by the package and the name of the option, or of the constructor.
func nilArguments(t *testing.T) map[string]error {
	t.Helper()
	kit := learningtest.New(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	const url = "https://example.org"
	secret := "whsec_" + strings.Repeat("c2Vj", 8)
	newPlatform := func(o learning.Option) error { return errorOf(learning.New(kit.Store, o)) }
	newHandler := func(o httpapi.Option) error { return errorOf(httpapi.New(kit.Platform, o)) }
	newAI := func(o ai.Option) error { return errorOf(ai.New(url, "key", "model", o)) }
	newRenderer := func(o certificate.Option) error { return errorOf(certificate.New(o)) }
	newIssuer := func(o credential.Option) error { return errorOf(credential.New(key, url, o)) }
	newGateway := func(o gateway.Option) error { return errorOf(gateway.New(url, "id", "key", o)) }
	newStripe := func(o stripe.Option) error {
		return errorOf(stripe.New("sk_test_1", "pk_test_1", o))
	}
	newVerifier := func(o identity.VerifierOption) error {
		return errorOf(identity.NewVerifier(url, o))
	}
	newClient := func(o identity.ClientOption) error {
		return errorOf(identity.NewClient(url, "key", o))
	}
	newDisk := func(o media.Option) error { return errorOf(media.NewDisk(t.TempDir(), url, o)) }
	newPrivate := func(o media.PrivateOption) error {
		return errorOf(media.NewPrivateDisk(t.TempDir(), url, [][]byte{make([]byte, 16)}, o))
	}
	openBucket := func(o bucket.Option) error {
		return errorOf(bucket.Open(t.Context(), bucket.Address{Name: "media"},
			bucket.Key{ID: "id", Secret: "secret"}, url, o))
	}
	openStore := func(o store.Option) error {
		return errorOf(sqlite.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "a.db"), o))
	}
	newSender := func(o webhook.Option) error {
		return errorOf(webhook.NewSender(url, []string{secret}, o))
	}
	openLimits := func(o redislimit.Option) error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
		defer cancel()
		return errorOf(redislimit.Open(ctx, "redis://localhost:1", o))
	}
	noStore, noSigner := (*store.Store)(nil), (*ecdsa.PrivateKey)(nil)
	return map[string]error{
		"learning.New":               errorOf(learning.New(noStore)),
		"learning.New ":              errorOf(learning.New(nil)),
		"learning.option":            newPlatform(nil),
		"learning.WithTokens":        newPlatform(learning.WithTokens((*identity.Verifier)(nil))),
		"learning.WithRoles":         newPlatform(learning.WithRoles((*identity.Client)(nil))),
		"learning.WithWebhooks":      newPlatform(learning.WithWebhooks(nil)),
		"learning.WithProvider":      newPlatform(learning.WithProvider((*gateway.Client)(nil))),
		"learning.WithMedia":         newPlatform(learning.WithMedia((*media.Disk)(nil))),
		"learning.WithFiles":         newPlatform(learning.WithFiles((*media.PrivateDisk)(nil))),
		"learning.WithAI":            newPlatform(learning.WithAI((*ai.Client)(nil))),
		"learning.WithCredentials":   newPlatform(learning.WithCredentials((*credential.Issuer)(nil))),
		"learning.WithEvents":        newPlatform(learning.WithEvents("mail", (*webhook.Sender)(nil))),
		"learning.WithBuyPolicy":     newPlatform(learning.WithBuyPolicy(nil)),
		"learning.WithTax":           newPlatform(learning.WithTax(nil)),
		"learning.WithReceipts":      newPlatform(learning.WithReceipts((*certificate.Renderer)(nil))),
		"learning.WithInTransaction": newPlatform(learning.WithInTransaction(nil)),
		"learning.WithLogger":        newPlatform(learning.WithLogger(nil)),
		"learning.WithClock":         newPlatform(learning.WithClock(noClock)),
		"learning.WithObserver":      newPlatform(learning.WithObserver(nil)),
		"learning.WithCertificates": newPlatform(
			learning.WithCertificates((*certificate.Renderer)(nil), url)),

		"httpapi.New":          errorOf(httpapi.New(nil)),
		"httpapi.New ":         errorOf(httpapi.New(new(learning.Platform))),
		"httpapi.option":       newHandler(nil),
		"httpapi.WithLimiters": newHandler(httpapi.WithLimiters(nil)),
		"httpapi.WithLimiters ": newHandler(httpapi.WithLimiters(
			func(httpapi.Limit) (httpapi.Limiter, error) { return noLimiter, nil })),
		"httpapi.WithAgents":    newHandler(httpapi.WithAgents(nil, httpapi.OrdinaryTools)),
		"httpapi.WithDocs":      newHandler(httpapi.WithDocs(nil)),
		"httpapi.WithDocsUsers": newHandler(httpapi.WithDocsUsers(nil)),
		"httpapi.Handle": newHandler(httpapi.WithRoutes(httpapi.Route{ID: "own", Path: "/own",
			Method: http.MethodGet, Access: httpapi.Public, Do: httpapi.Handle(noMux)})),
		"httpapi.HandleFunc": newHandler(httpapi.WithRoutes(httpapi.Route{ID: "own", Path: "/own",
			Method: http.MethodGet, Access: httpapi.Public, Do: httpapi.HandleFunc(nil)})),

		"ai.option":        newAI(nil),
		"ai.WithTransport": newAI(ai.WithTransport(noTransport)),

		"certificate.option":     newRenderer(nil),
		"certificate.WithAccent": newRenderer(certificate.WithAccent((*color.RGBA)(nil))),
		"certificate.WithFonts":  newRenderer(certificate.WithFonts(fstest.MapFS{}, nil)),
		"certificate.WithLogger": newRenderer(certificate.WithLogger(nil)),

		"credential.New":             errorOf(credential.New(noSigner, url)),
		"credential.option":          newIssuer(nil),
		"credential.WithRetiredKeys": newIssuer(credential.WithRetiredKeys((*ecdsa.PublicKey)(nil))),
		"credential.WithAchievement": newIssuer(credential.WithAchievement(nil)),

		"gateway.option":        newGateway(nil),
		"gateway.WithTransport": newGateway(gateway.WithTransport(noTransport)),

		"stripe.option":        newStripe(nil),
		"stripe.WithTransport": newStripe(stripe.WithTransport(noTransport)),
		"stripe.WithClock":     newStripe(stripe.WithClock(noClock)),

		"identity.option":           newVerifier(nil),
		"identity.option ":          newClient(nil),
		"identity.WithRole":         newVerifier(identity.WithRole(nil)),
		"identity.WithClock":        newVerifier(identity.WithClock(noClock)),
		"identity.WithKeyTransport": newVerifier(identity.WithKeyTransport(noTransport)),
		"identity.WithTransport":    newClient(identity.WithTransport(noTransport)),

		"media.option":       newDisk(nil),
		"media.option ":      newPrivate(nil),
		"media.WithNotFound": newDisk(media.WithNotFound(noMux)),
		"media.WithLogger":   newDisk(media.WithLogger(noLogger)),
		"media.WithClock":    newPrivate(media.WithClock(nil)),

		"bucket.option":       openBucket(nil),
		"bucket.WithNotFound": openBucket(bucket.WithNotFound(nil)),
		"bucket.WithLogger":   openBucket(bucket.WithLogger(nil)),

		"sqlite.New":         errorOf(sqlite.New(nil)),
		"store.option":       openStore(nil),
		"store.WithObserver": openStore(store.WithObserver(nil)),

		"webhook.option":        newSender(nil),
		"webhook.WithTransport": newSender(webhook.WithTransport(noTransport)),

		"redislimit.option":     openLimits(nil),
		"redislimit.WithLogger": openLimits(redislimit.WithLogger(nil)),
	}
}

// wordsOf are what an error says of an argument that no option has.
var wordsOf = map[string]string{
	"learning.New": "the store is nil", "httpapi.New": "make it with learning.New",
	"httpapi.Handle": "a handler that is not nil", "httpapi.HandleFunc": "or to a HandleFunc",
	"sqlite.New":     "open it with sql.Open",
	"credential.New": "the key that signs is nil",
}

func TestConstructors_RefuseNilWithAReason(t *testing.T) {
	for name, err := range nilArguments(t) {
		name = strings.TrimSpace(name)
		_, want, _ := strings.Cut(name, ".")
		if words := wordsOf[name]; words != "" {
			want = words
		} else if want == "option" {
			want = "option 1 is nil: leave it out"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// plainTypes are the types of arguments that cannot be nil, or of which nil is a usable value.
var plainTypes = map[string]bool{"string": true, "int": true, "int64": true, "bool": true,
	"byte": true, "time.Duration": true, "netip.Prefix": true, "refund.Policy": true,
	"refund.DisputePolicy": true, "papers.Seller": true, "Limit": true,
	"Route": true}

// Each option with an argument that may be nil has a row in nilArguments.
func TestConstructors_AllOptionsAreTried(t *testing.T) {
	tried := nilArguments(t)
	for _, name := range optionsWithPointers(t) {
		if _, known := tried[name]; !known {
			t.Errorf("%s: add it to nilArguments, with an argument that is nil", name)
		}
	}
}

// optionsWithPointers returns the options, as package and name, of all packages of the library with
// an argument of a type that is not in plainTypes. Those of packages for tests are left out.
func optionsWithPointers(t *testing.T) (names []string) {
	t.Helper()
	eachOption(t, func(name string, source []byte, fn *ast.FuncDecl) {
		if hasPointer(source, fn) {
			names = append(names, name)
		}
	})
	return names
}

// eachOption calls see with each option, as package and name, of all packages of the library but
// those for tests.
func eachOption(t *testing.T, see func(name string, source []byte, fn *ast.FuncDecl)) {
	t.Helper()
	found := 0
	err := filepath.WalkDir("learning", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.Contains(path, "learningtest") || strings.Contains(path, "sandbox") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, 0)
		if err != nil {
			return err
		}
		for _, declared := range file.Decls {
			if fn, isFunc := declared.(*ast.FuncDecl); isFunc && isOption(fn) {
				found++
				see(file.Name.Name+"."+fn.Name.Name, source, fn)
			}
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Fatalf("%d options: %v", found, err)
	}
}

// isOption reports whether an exported function returns an option.
func isOption(fn *ast.FuncDecl) bool {
	if fn.Recv != nil || !fn.Name.IsExported() || fn.Type.Results.NumFields() != 1 {
		return false
	}
	result, isName := fn.Type.Results.List[0].Type.(*ast.Ident)
	return isName && strings.HasSuffix(result.Name, "Option")
}

// hasPointer reports whether an argument of a function may be nil.
func hasPointer(source []byte, fn *ast.FuncDecl) bool {
	for _, field := range fn.Type.Params.List {
		written := string(source[field.Type.Pos()-1 : field.Type.End()-1])
		written = strings.TrimPrefix(strings.TrimPrefix(written, "..."), "[]")
		if !plainTypes[written] {
			return true
		}
	}
	return false
}

var _ crypto.Signer = (*ecdsa.PrivateKey)(nil)
