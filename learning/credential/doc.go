// Package credential signs certificates as Open Badges 3.0 credentials: W3C
// Verifiable Credentials (data model 2.0) in the form of JWTs, which wallets keep and
// anybody can verify without asking the platform more than for its keys and for the
// list of what was revoked.
//
// It owns what such a credential says, the status list (W3C Bitstring Status List),
// and signatures by a key that may be anywhere: of a [crypto.Signer] it uses nothing
// but Public and Sign. A signature is checked before it leaves, so a key that was
// exchanged behind its handle, or computes wrongly, is noticed here.
//
// It refuses keys that not every verifier takes or that can be broken, decides
// nothing about certificates, keeps nothing, and says of a person only the name that
// is printed on the certificate: no address, no user id, and nothing by which two
// certificates of one person could be brought together.
//
// Where the specifications disagree, Open Badges 3.0 decides for credentials, since
// it leaves less open: the header's typ is JWT, nbf is there, and the key's id is an
// address at which the bare key can be had. Status lists, of which it says nothing,
// are as W3C's VC-JOSE-COSE has them.
package credential
