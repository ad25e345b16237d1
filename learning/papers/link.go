package papers

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// LinkTime is how long a link to a paper works.
const LinkTime = 15 * time.Minute

// LinkPath is the path of links to papers, below the public URL of the API. The id of the paper
// follows it, and the query has the other fields of a [Link].
const LinkPath = "/papers/"

// The parameters of a link.
const (
	UntilParameter     = "until"
	SignatureParameter = "signature"
)

// Link is what the URL of a link has.
type Link struct {
	PaperID   string
	Until     string // in Unix seconds
	Signature string // of both
}

// links signs and verifies links to papers.
type links struct {
	base string // the public URL of the API
	keys [][]byte
}

// sign returns a URL by which a paper can be read until a time, without a token; "" without a key.
func (l links) sign(paperID string, until time.Time) string {
	if len(l.keys) == 0 {
		return ""
	}
	seconds := strconv.FormatInt(until.Unix(), 10)
	signature := base64.RawURLEncoding.EncodeToString(signatureOf(l.keys[0], paperID, seconds))
	query := url.Values{UntilParameter: {seconds}, SignatureParameter: {signature}}
	return strings.TrimRight(l.base, "/") + LinkPath + url.PathEscape(paperID) + "?" +
		query.Encode()
}

// verify reports whether one of the keys has signed a link that has not expired.
func (l links) verify(link Link, now time.Time) bool {
	given, err := base64.RawURLEncoding.Strict().DecodeString(link.Signature)
	if err != nil {
		return false
	}
	isSigned := false
	for _, key := range l.keys {
		isSigned = isSigned || hmac.Equal(given, signatureOf(key, link.PaperID, link.Until))
	}
	until, err := strconv.ParseInt(link.Until, 10, 64)
	return isSigned && err == nil && now.Before(time.Unix(until, 0))
}

// signatureOf returns the signature of an id and a time. The first word keeps it apart from the
// signatures of files, which are made with the same keys. The length of the id tells where it ends.
func signatureOf(key []byte, paperID, until string) []byte {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "paper %d %s %s", len(paperID), paperID, until) // a hash never fails
	return mac.Sum(nil)
}
