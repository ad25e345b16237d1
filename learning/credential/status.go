package credential

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/openlectern/openlectern/learning/certify"
)

const (
	// listLife is how long a status list is valid. It bounds the age of a list that hides a
	// later revocation.
	listLife = 24 * time.Hour
	// slow is how far the clock of a verifier may be behind.
	slow = 5 * time.Minute
)

// statusList is a status list as a credential (W3C Bitstring Status List 1.0).
type statusList struct {
	Context    []string    `json:"@context"`
	ID         string      `json:"id"`
	Type       []string    `json:"type"`
	Issuer     string      `json:"issuer"`
	ValidFrom  string      `json:"validFrom"`
	ValidUntil string      `json:"validUntil"`
	Subject    listSubject `json:"credentialSubject"`
	Iss        string      `json:"iss"`
	Exp        int64       `json:"exp"`
}

type listSubject struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Purpose string `json:"statusPurpose"`
	Encoded string `json:"encodedList"`
	TTL     int64  `json:"ttl"` // milliseconds
}

// status returns the reference of a credential to its bit in a status list. number is that of its
// certificate.
func (i *Issuer) status(number int64) status {
	list := i.statusURL(number / certify.StatusListSize)
	index := strconv.FormatInt(number%certify.StatusListSize, 10)
	return status{ID: list + "#" + index, Type: "BitstringStatusListEntry", Purpose: "revocation",
		Index: index, Credential: list}
}

// SignStatusList signs a status list, and returns it as a JWT that is valid until a day after l.At.
// It returns an error if l.Revoked has the number of a certificate that belongs to another list, if
// the key fails, and if ctx is done.
func (i *Issuer) SignStatusList(ctx context.Context, l certify.StatusList) (string, error) {
	bits, err := bitstring(l)
	if err != nil {
		return "", fmt.Errorf("credential: %w", err)
	}
	encoded, err := compress(bits)
	if err != nil {
		return "", fmt.Errorf("credential: %w", err)
	}
	id := i.statusURL(l.Number)
	until := l.At.Add(listLife)
	// It is valid from a little earlier than l.At, for verifiers whose clock is slow.
	token, err := i.sign(ctx, "vc+jwt", statusList{
		Context: []string{vcContext}, ID: id,
		Type:   []string{"VerifiableCredential", "BitstringStatusListCredential"},
		Issuer: i.base, ValidFrom: instant(l.At.Add(-slow)), ValidUntil: instant(until),
		Iss: i.base, Exp: until.Unix(),
		Subject: listSubject{ID: id + "#list", Type: "BitstringStatusList", Purpose: "revocation",
			Encoded: encoded,
			TTL:     certify.StatusListFresh.Milliseconds()},
	})
	if err != nil {
		return "", fmt.Errorf("credential: %w", err)
	}
	return token, nil
}

// bitstring returns one bit for each certificate of a list, which is set if it is revoked. The
// first certificate has the highest bit of the first byte.
func bitstring(l certify.StatusList) ([]byte, error) {
	bits := make([]byte, certify.StatusListSize/8)
	for _, number := range l.Revoked {
		index := number - l.Number*certify.StatusListSize
		if index < 0 || index >= certify.StatusListSize {
			return nil, fmt.Errorf("certificate %d is not in status list %d", number, l.Number)
		}
		bits[index/8] |= 0x80 >> (index % 8)
	}
	return bits, nil
}

// compress encodes a bitstring for a status list: GZIP, then base64url with the prefix u of
// Multibase.
func compress(bits []byte) (string, error) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(bits); err != nil {
		return "", fmt.Errorf("compress a status list: %w", err)
	}
	if err := z.Close(); err != nil {
		return "", fmt.Errorf("compress a status list: %w", err)
	}
	return "u" + base64url(zipped.Bytes()), nil
}
