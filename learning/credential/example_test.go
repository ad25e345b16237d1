package credential_test

import (
	"crypto/ed25519"
	"fmt"
	"log"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/credential"
)

// A retired key stays published, so that the credentials that it signed can be verified.
// The current key is any crypto.Signer, such as a key in a hardware module.
func Example() {
	last := ed25519.NewKeyFromSeed([]byte("the key that signed until today!"))
	next := ed25519.NewKeyFromSeed([]byte("the key that signs from today on"))
	issuer, err := credential.New(next, "https://api.example.org",
		credential.WithRetiredKeys(last.Public()))
	if err != nil {
		log.Fatal(err)
	}
	_ = learning.WithCredentials(issuer) // an option of learning.New
	fmt.Println(len(issuer.PublicKeys()), "keys to verify with")
	// Output: 2 keys to verify with
}
