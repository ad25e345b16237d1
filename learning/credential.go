package learning

import (
	"context"
	"errors"
	"strconv"
	"time"
)

const (
	// StatusListSize is how many certificates share one status list: the least that
	// W3C's Bitstring Status List allows, so that fetching one tells nobody which
	// certificate is being verified.
	StatusListSize = 131_072
	// StatusListFresh is how long a signed status list is given out. So late may a
	// revocation be seen that another process has stored; one of this process is in
	// the very next list.
	StatusListFresh = time.Minute
)

// StatusList says which certificates were revoked, of those whose numbers begin at
// Number × [StatusListSize].
type StatusList struct {
	Number  int64
	Revoked []int64   // the numbers of the certificates
	At      time.Time // since when it is so
}

// PublicKey is a key with which credentials are verified.
type PublicKey struct {
	ID  string // its thumbprint (RFC 7638)
	JWK []byte // the key as JSON (RFC 7517)
}

// Credential is a certificate as a signed Open Badges 3.0 credential. A revoked one
// has its credential still: the status list that it names says that it was revoked.
// Errors: [ErrCredentialsNotConfigured], [ErrCertificateNotFound].
func (p *Platform) Credential(ctx context.Context, id string) (string, error) {
	if p.credentials == nil {
		return "", ErrCredentialsNotConfigured
	}
	c, err := p.VerifyCertificate(ctx, id)
	if err != nil {
		return "", err
	}
	s, err := p.signed.get(ctx, "credential "+c.ID, forever, func(ctx context.Context) (signature, error) { return p.signCredential(ctx, c) })
	return s.token, wrap("sign a credential", err)
}

// forever: what a certificate says never changes, so what was signed stays right.
func forever(signature) bool { return true }

func (p *Platform) signCredential(ctx context.Context, c Certificate) (s signature, err error) {
	ctx, cancel := p.provider(ctx)
	defer cancel()
	s.token, err = p.credentials.SignCredential(ctx, c)
	return s, err
}

// StatusList is a signed list of which certificates were revoked, at most
// [StatusListFresh] old. The first list is always there, others begin with their
// first certificate. Errors: [ErrCredentialsNotConfigured], [ErrStatusListNotFound].
func (p *Platform) StatusList(ctx context.Context, number int64) (string, error) {
	if p.credentials == nil {
		return "", ErrCredentialsNotConfigured
	}
	if number < 0 || number >= maxStatusLists {
		return "", ErrStatusListNotFound
	}
	wanted, now := p.revocations.Load(), p.now()
	fresh := func(s signature) bool { return s.revocations >= wanted && now.Sub(s.at) < StatusListFresh }
	s, err := p.signed.get(ctx, "status list "+strconv.FormatInt(number, 10), fresh, func(ctx context.Context) (signature, error) { return p.signStatusList(ctx, number) })
	return s.token, wrap("sign a status list", err)
}

// maxStatusLists keeps the numbers of certificates within an int64.
const maxStatusLists = 1<<63/StatusListSize - 1

// signStatusList notes what it has seen before it reads, so that a revocation in
// between makes it be made again.
func (p *Platform) signStatusList(ctx context.Context, number int64) (s signature, err error) {
	ctx, cancel := p.provider(ctx)
	defer cancel()
	s.revocations, s.at = p.revocations.Load(), p.now()
	list := StatusList{Number: number, At: s.at}
	if list.Revoked, err = p.revokedIn(ctx, number); err != nil {
		return signature{}, err
	}
	s.token, err = p.credentials.SignStatusList(ctx, list)
	return s, err
}

func (p *Platform) revokedIn(ctx context.Context, number int64) ([]int64, error) {
	first := number * StatusListSize
	if number > 0 {
		issued, err := p.store.CertificatesIssued(ctx)
		if errors.Is(err, ErrNoRecord) || err == nil && issued <= first {
			return nil, ErrStatusListNotFound
		}
		if err != nil {
			return nil, err
		}
	}
	return p.store.RevokedNumbers(ctx, first, first+StatusListSize)
}

// certificateRevoked makes the next status list a new one.
func (p *Platform) certificateRevoked() { p.revocations.Add(1) }

// PublicKeys are the keys with which credentials are verified: the one that signs
// now and those that have signed before. Error: [ErrCredentialsNotConfigured].
func (p *Platform) PublicKeys() ([]PublicKey, error) {
	if p.credentials == nil {
		return nil, ErrCredentialsNotConfigured
	}
	return p.credentials.PublicKeys(), nil
}

// PublicKey is one of them, by its id. Errors: [ErrCredentialsNotConfigured],
// [ErrPublicKeyNotFound].
func (p *Platform) PublicKey(id string) (PublicKey, error) {
	all, err := p.PublicKeys()
	for _, k := range all {
		if k.ID == id {
			return k, nil
		}
	}
	if err != nil {
		return PublicKey{}, err
	}
	return PublicKey{}, ErrPublicKeyNotFound
}
