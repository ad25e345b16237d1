package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/openlectern/openlectern/learning/credential"
)

// newIssuer makes who signs credentials; nil when there is no key, as production may
// have it.
func (s *Settings) newIssuer() (*credential.Issuer, error) {
	file := s.Credential.Key
	if file == "" && s.production() {
		return nil, nil
	}
	if file == "" {
		file = s.beside("credential.pem")
		if err := ensureKey(file); err != nil {
			return nil, fmt.Errorf("keep a key for credentials: %w", err)
		}
	}
	key, err := readKey(file)
	if err != nil {
		return nil, fmt.Errorf("read the key for credentials: %w", err)
	}
	retired, err := s.retiredKeys()
	if err != nil {
		return nil, err
	}
	return credential.New(key, s.PublicURL, credential.WithRetiredKeys(retired...))
}

func (s *Settings) retiredKeys() ([]crypto.PublicKey, error) {
	var keys []crypto.PublicKey
	for _, file := range list(s.Credential.RetiredKeys) {
		key, err := readPublicKey(file)
		if err != nil {
			return nil, fmt.Errorf("read a retired key: %w", err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// ensureKey makes a key for a developer's machine unless there is one: what it signs
// is still good after a restart.
func ensureKey(file string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(pem.Encode(f, &pem.Block{Type: "PRIVATE KEY", Bytes: der}), f.Close())
}

// readKey reads a private key, as openssl genpkey writes it.
func readKey(file string) (crypto.Signer, error) {
	block, err := readPEM(file)
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if block.Type != "PRIVATE KEY" || err != nil {
		return nil, errors.New("it is no private key in PKCS #8 without a password, as openssl genpkey writes it")
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errors.New("its key cannot sign")
	}
	return signer, nil
}

// readPublicKey reads a public key, or the public half of a private one.
func readPublicKey(file string) (crypto.PublicKey, error) {
	block, err := readPEM(file)
	if err != nil {
		return nil, err
	}
	if block.Type == "PUBLIC KEY" {
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return nil, errors.New("it has no public key in it")
		}
		return key, nil
	}
	key, err := readKey(file)
	if err != nil {
		return nil, err
	}
	return key.Public(), nil
}

// readPEM reads the first block of a file. Its errors repeat nothing of it.
func readPEM(file string) (*pem.Block, error) {
	text, err := os.ReadFile(file)
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, failed.Err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("it is not PEM")
	}
	return block, nil
}

// checkCredential reads the keys, which are needed only where certificates are to be
// had as credentials.
func (s *Settings) checkCredential(p *problems) {
	if s.Credential.Key == "" && s.Credential.RetiredKeys != "" {
		p.say("credential-key", "is missing: it must be the key that signs now, beside those that are retired")
	}
	if file := s.Credential.Key; file != "" {
		key, err := readKey(file)
		if err == nil {
			err = credential.CheckKey(key.Public())
		}
		p.usable("credential-key", err)
	}
	for _, file := range list(s.Credential.RetiredKeys) {
		key, err := readPublicKey(file)
		if err == nil {
			err = credential.CheckKey(key)
		}
		p.usable("credential-retired-keys", err)
	}
}

// usable says why a value is not.
func (p *problems) usable(flag string, err error) {
	if err != nil {
		p.say(flag, "cannot be used: %s", strings.TrimPrefix(err.Error(), "credential: "))
	}
}
