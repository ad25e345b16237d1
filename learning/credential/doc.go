// Package credential signs certificates as Open Badges 3.0 credentials: W3C
// Verifiable Credentials (data model 2.0) in the form of JWTs, which wallets store.
// Verifiers need only the platform's public keys and its status list.
//
// It contains the content of credentials, the status list (W3C Bitstring Status List),
// and signing by any [crypto.Signer], such as a key in a hardware module. Each signature
// is verified before it is returned, so that a wrong key or a defective signer is
// detected.
//
// It rejects keys that are insecure or that some verifiers do not support. It makes no
// decisions about certificates and stores nothing. Of a user a credential contains only
// the printed name: no address, no user id, and nothing that links two certificates of
// one user.
//
// Where the specifications differ, credentials follow Open Badges 3.0, because it is more
// specific: typ in the header is JWT, nbf is present, and kid is the URL of the key.
// Status lists follow W3C's VC-JOSE-COSE, because Open Badges does not define them.
package credential
