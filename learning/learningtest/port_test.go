package learningtest_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/ai"
	"github.com/openlectern/openlectern/learning/certificate"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/media"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sandbox"
)

func must[T any](tb testing.TB) func(value T, err error) T {
	return func(value T, err error) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return value
	}
}

func TestMedia_Disk(t *testing.T) {
	const base = "https://media.example.org"
	learningtest.Media(t,
		func(t *testing.T) file.Media {
			return must[*media.Disk](t)(media.NewDisk(filepath.Join(t.TempDir(), "media"), base))
		},
		func(t *testing.T, s file.Media, url string) (body string, found bool) {
			name, isOwn := strings.CutPrefix(url, base+"/")
			if !isOwn {
				t.Fatalf("the URL is %s", url)
			}
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodGet, "/"+name, nil)
			http.StripPrefix("/", s.(*media.Disk)).ServeHTTP(w, r)
			return w.Body.String(), w.Code == http.StatusOK
		})
}

func TestFiles_PrivateDisk(t *testing.T) {
	const base = "https://files.example.org"
	learningtest.Files(t,
		func(t *testing.T) file.Store {
			return must[*media.PrivateDisk](t)(media.NewPrivateDisk(
				filepath.Join(t.TempDir(), "files"), base, [][]byte{[]byte("the key of the test")}))
		},
		func(t *testing.T, s file.Store, url, part string) *http.Response {
			r := httptest.NewRequest(http.MethodGet, url, nil)
			if part != "" {
				r.Header.Set("Range", part)
			}
			w := httptest.NewRecorder()
			http.StripPrefix("/", s.(*media.PrivateDisk)).ServeHTTP(w, r)
			return w.Result()
		})
}

// box is a sandbox with the time of the machine.
func box(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	sb := must[*sandbox.Sandbox](t)(sandbox.Listen(sandbox.Config{}))
	t.Cleanup(sb.Close)
	return sb
}

func TestTokens_Verifier(t *testing.T) {
	sb := box(t)
	url := sb.Config().URL
	verifier := must[*identity.Verifier](t)(identity.NewVerifier(url+"/.well-known/jwks.json",
		identity.WithIssuer(url)))
	learningtest.Tokens(t, verifier,
		func(t *testing.T, claims people.Claims, until time.Time) string {
			must[any](t)(nil, sb.Identity().PutUserQuietly(sandbox.User{ID: claims.UserID}))
			return must[string](t)(sb.Identity().Token(claims.UserID,
				sandbox.WithRole(string(claims.Role)), sandbox.WithTTL(time.Until(until)),
				sandbox.WithClaims(map[string]any{"iat": claims.IssuedAt.Unix()})))
		})
}

func TestAI_Client(t *testing.T) {
	c := box(t).Config()
	learningtest.AI(t, must[*ai.Client](t)(ai.New(c.URL+"/v1", c.AIAPIKey, sandbox.AIModel)))
}

func TestRenderer_PDF(t *testing.T) {
	learningtest.Renderer(t, must[*certificate.Renderer](t)(certificate.New()))
}

func TestProvider_Gateway(t *testing.T) {
	sb := box(t)
	c, peer := sb.Config(), sb.Gateway()
	paid := map[string]sandbox.Payment{}
	client := must[*gateway.Client](t)(gateway.New(c.URL, c.GatewayKeyID, c.GatewayKeySecret,
		gateway.WithWebhookSecrets(c.GatewayWebhookSecret)))
	sign := func(body []byte) payment.Webhook {
		return payment.Webhook{Body: body, Header: func(name string) string {
			if name == gateway.SignatureHeader {
				return peer.SignWebhook(body)
			}
			return ""
		}}
	}
	learningtest.Provider(t, client, learningtest.ProviderPeer{
		Currency: "INR",
		Pay: func(t *testing.T, orderID string) payment.Proof {
			p := must[sandbox.Payment](t)(peer.Pay(orderID))
			paid[orderID] = p
			return payment.Proof{OrderID: orderID, PaymentID: p.ID,
				Signature: peer.Signature(orderID, p.ID)}
		},
		Paid: func(t *testing.T, orderID string) payment.Webhook {
			return sign(must[[]byte](t)(peer.Event("payment.captured", paid[orderID])))
		},
		Sign: sign,
		Process: func(t *testing.T, orderID string) {
			must[sandbox.Payment](t)(peer.Authorize(orderID))
		},
	})
}
