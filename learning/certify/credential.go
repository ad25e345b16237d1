package certify

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// The public failures of credentials.
var (
	ErrStatusListNotFound = &core.Error{Kind: core.NotFound, Code: "status_list_not_found",
		Message: "Status list not found"}
	ErrPublicKeyNotFound = &core.Error{Kind: core.NotFound, Code: "public_key_not_found",
		Message: "Public key not found"}
	ErrCredentialsNotConfigured = &core.Error{Kind: core.Unavailable,
		Code:    "credentials_not_configured",
		Message: "Credential issuer is not configured"}
)

const (
	// StatusListSize is the number of certificates in one status list. It is the
	// minimum of W3C's Bitstring Status List, which is large so that a request for a
	// list does not reveal which certificate is being verified.
	StatusListSize = 131_072
	// StatusListFresh is how long a signed status list is reused. A revocation by
	// another process appears in the list within this time, a revocation by this
	// process at once.
	StatusListFresh = time.Minute
)

// StatusList lists the revoked ones of [StatusListSize] certificates. The number of the
// first one is Number × StatusListSize.
type StatusList struct {
	Number  int64
	Revoked []int64   // the numbers of the certificates
	At      time.Time // when the list was read
}

// PublicKey is a key that verifies credentials.
type PublicKey struct {
	ID  string // its thumbprint (RFC 7638)
	JWK []byte // the key as JSON (RFC 7517)
}

// Credential returns a certificate as a signed Open Badges 3.0 credential. It returns
// one for revoked certificates, too: the status list that the credential names contains
// the revocation. Errors: [ErrCredentialsNotConfigured], [ErrCertificateNotFound].
func (s *Service) Credential(ctx context.Context, id string) (string, error) {
	if s.credentials == nil {
		return "", ErrCredentialsNotConfigured
	}
	c, err := s.VerifyCertificate(ctx, id)
	if err != nil {
		return "", err
	}
	// Sign it, or take the signature from the cache.
	signed, err := s.signatures.get(ctx, "credential "+c.ID, alwaysValid,
		func(ctx context.Context) (signature, error) { return s.signCredential(ctx, c) })
	return signed.token, core.Wrap("sign a credential", err)
}

// alwaysValid reports that a signed credential can be used at any age, because what it shows of a
// certificate never changes. A revocation is in the status list.
func alwaysValid(signature) bool { return true }

// signCredential signs the credential of a certificate, within the time limit of a provider.
func (s *Service) signCredential(ctx context.Context, c Certificate) (made signature, err error) {
	ctx, cancel := s.base.Provider(ctx)
	defer cancel()
	made.token, err = s.credentials.SignCredential(ctx, c)
	return made, err
}

// StatusList returns a signed status list, at most [StatusListFresh] old. The first
// list always exists; another one exists once it has a certificate. Errors:
// [ErrCredentialsNotConfigured], [ErrStatusListNotFound].
func (s *Service) StatusList(ctx context.Context, number int64) (string, error) {
	if s.credentials == nil {
		return "", ErrCredentialsNotConfigured
	}
	if number < 0 || number >= maxStatusLists {
		return "", ErrStatusListNotFound
	}

	// Sign the list, or take it from the cache if it is fresh: a list that was read before the last
	// revocation of this process is not. revocations counts these.
	wanted, now := s.revocations.Load(), s.base.Now()
	fresh := func(kept signature) bool {
		return kept.revocations >= wanted &&
			now.Sub(kept.at) < StatusListFresh
	}
	signed, err := s.signatures.get(ctx, "status list "+strconv.FormatInt(number, 10), fresh,
		func(ctx context.Context) (signature, error) { return s.signStatusList(ctx, number) })
	return signed.token, core.Wrap("sign a status list", err)
}

// maxStatusLists keeps the numbers of certificates within an int64.
const maxStatusLists = 1<<63/StatusListSize - 1

// signStatusList reads and signs a status list. It loads the count of revocations before it reads
// the list, so that a concurrent revocation makes the list outdated.
func (s *Service) signStatusList(ctx context.Context, number int64) (made signature, err error) {
	ctx, cancel := s.base.Provider(ctx)
	defer cancel()
	made.revocations, made.at = s.revocations.Load(), s.base.Now()
	list := StatusList{Number: number, At: made.at}
	if list.Revoked, err = s.revokedNumbers(ctx, number); err != nil {
		return signature{}, err
	}
	made.token, err = s.credentials.SignStatusList(ctx, list)
	return made, err
}

// revokedNumbers reads the numbers of the revoked certificates of a status list. Error:
// [ErrStatusListNotFound] if the list has no certificate. The first list exists before it has one.
func (s *Service) revokedNumbers(ctx context.Context, number int64) ([]int64, error) {
	first := number * StatusListSize
	if number > 0 {
		issued, err := s.store.CertificatesIssued(ctx)
		switch {
		case errors.Is(err, core.ErrNoRecord): // no certificate was ever issued
			return nil, ErrStatusListNotFound
		case err != nil:
			return nil, err
		case issued <= first: // none of this list
			return nil, ErrStatusListNotFound
		}
	}
	return s.store.RevokedNumbers(ctx, first, first+StatusListSize)
}

// ExpireStatusLists makes the signed status lists outdated, by counting one revocation more: see
// [Service.StatusList].
func (s *ForRooms) ExpireStatusLists() { s.revocations.Add(1) }

// PublicKeys returns the keys that verify credentials: the present one and earlier
// ones. Error: [ErrCredentialsNotConfigured].
func (s *Service) PublicKeys() ([]PublicKey, error) {
	if s.credentials == nil {
		return nil, ErrCredentialsNotConfigured
	}
	return s.credentials.PublicKeys(), nil
}

// PublicKey returns the key with an id. Errors: [ErrCredentialsNotConfigured],
// [ErrPublicKeyNotFound].
func (s *Service) PublicKey(id string) (PublicKey, error) {
	all, err := s.PublicKeys()
	if err != nil {
		return PublicKey{}, err
	}
	for _, k := range all {
		if k.ID == id {
			return k, nil
		}
	}
	return PublicKey{}, ErrPublicKeyNotFound
}

// CredentialIssuer signs certificates as Open Badges 3.0 credentials (package
// credential). The results are JWTs in compact form. Its methods return when
// the context is done, also while a remote key does not answer.
type CredentialIssuer interface {
	SignCredential(ctx context.Context, c Certificate) (string, error)
	SignStatusList(ctx context.Context, l StatusList) (string, error)
	// PublicKeys returns the key that signs, followed by the keys that signed before.
	PublicKeys() []PublicKey
}
