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

// newIssuer returns the issuer of credentials. It returns nil if no key is configured in
// production.
func (s *Settings) newIssuer() (*credential.Issuer, error) {
	file := s.Credential.Key
	if file == "" && s.production() {
		return nil, nil
	}
	// In development, use a key of its own next to the database.
	if file == "" {
		file = s.fileNextToDatabase("credential.pem")
		if err := ensureKey(file); err != nil {
			return nil, fmt.Errorf("create a key for credentials: %w", err)
		}
	}
	key, err := readKey(file)
	if err != nil {
		return nil, fmt.Errorf("read the key for credentials: %w", err)
	}
	// Earlier keys stay published, so that old credentials can be verified.
	retired, err := s.retiredKeys()
	if err != nil {
		return nil, err
	}
	return credential.New(key, s.PublicURL, credential.WithRetiredKeys(retired...))
}

// retiredKeys reads the public keys that verify credentials of before.
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

// ensureKey creates a key for development unless the file exists, so that credentials
// stay valid after a restart.
func ensureKey(file string) error {
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return createOnce(file, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// readKey reads a private key in PKCS #8, as openssl genpkey writes it.
func readKey(file string) (crypto.Signer, error) {
	block, err := readPEM(file)
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if block.Type != "PRIVATE KEY" || err != nil {
		return nil, errors.New("it is not a private key in PKCS #8 without a password, as " +
			"openssl genpkey writes it")
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errors.New("its key cannot sign")
	}
	return signer, nil
}

// readPublicKey reads a public key, or a private key and returns its public part.
func readPublicKey(file string) (crypto.PublicKey, error) {
	block, err := readPEM(file)
	if err != nil {
		return nil, err
	}
	if block.Type == "PUBLIC KEY" {
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return nil, errors.New("it does not contain a public key")
		}
		return key, nil
	}
	// Operators may keep the private key of a retired pair.
	key, err := readKey(file)
	if err != nil {
		return nil, err
	}
	return key.Public(), nil
}

// readPEM reads the first block of a file. Its errors do not contain the file's content.
func readPEM(file string) (*pem.Block, error) {
	text, err := os.ReadFile(file)
	if failed, ok := errors.AsType[*fs.PathError](err); ok { // which ReadFile always returns
		return nil, failed.Err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("it is not PEM")
	}
	return block, nil
}

// checkCredential reads the keys. They are optional: without them there are no credentials, and in
// development the server makes a key. Retired keys alone are refused in development too, because
// they are a mistake for production.
func (s *Settings) checkCredential(p *problems) {
	if s.Credential.Key == "" && s.Credential.RetiredKeys != "" {
		p.add("credential-key", "is missing: retired keys need a current key that signs")
	}
	if file := s.Credential.Key; file != "" {
		key, err := readKey(file)
		if err == nil {
			err = credential.CheckKey(key.Public())
		}
		p.checkUsable("credential-key", err)
	}
	// Retired keys may have only their public part.
	for _, file := range list(s.Credential.RetiredKeys) {
		key, err := readPublicKey(file)
		if err == nil {
			err = credential.CheckKey(key)
		}
		p.checkUsable("credential-retired-keys", err)
	}
}

// checkUsable adds the error, if any, as the problem of a value.
func (p *problems) checkUsable(flag string, err error) {
	if err != nil {
		p.add(flag, "cannot be used: %s", strings.TrimPrefix(err.Error(), "credential: "))
	}
}
