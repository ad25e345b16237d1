package sandbox_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// A program under development has the sandbox in place of its providers. The sandbox sends its
// webhooks to the program.
func ExampleListen() {
	s, err := sandbox.Listen(sandbox.Config{WebhookURL: "http://localhost:3000"}) // on a free port
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	keys, err := http.Get(s.Config().URL + "/.well-known/jwks.json")
	if err != nil {
		log.Fatal(err)
	}
	defer keys.Body.Close()
	fmt.Println("the keys for session tokens:", keys.Status)
	// Output: the keys for session tokens: 200 OK
}

// A test that needs a signed-in user.
func ExampleIdentity_Token() {
	s, err := sandbox.Listen(sandbox.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	if err := s.Identity().PutUser(sandbox.User{ID: "user_1", FirstName: "Ada",
		Role: "educator"}); err != nil {
		log.Fatal(err)
	}
	token, err := s.Identity().Token("user_1", sandbox.WithAlg("ES256"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("parts of the token:", len(strings.Split(token, ".")))
	// Output: parts of the token: 3
}

// A user pays an order, and the gateway sends a webhook to the platform.
func ExampleGateway_Pay() {
	told := make(chan string, 1)
	platform := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		told <- r.URL.Path
	})
	srv := httptest.NewServer(platform)
	defer srv.Close()

	s, err := sandbox.Listen(sandbox.Config{WebhookURL: srv.URL})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	order, err := s.Gateway().CreateOrder(sandbox.Order{Amount: 49900, Currency: "INR",
		Receipt: "purchase_1"})
	if err != nil {
		log.Fatal(err)
	}
	payment, err := s.Gateway().Pay(order.ID)
	if err != nil {
		log.Fatal(err)
	}
	order, err = s.Gateway().Order(order.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the payment is", payment.Status)
	fmt.Println("the order is", order.Status)
	fmt.Println("a webhook came to", <-told)
	// Output:
	// the payment is captured
	// the order is paid
	// a webhook came to /gateway
}
