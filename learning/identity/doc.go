// Package identity implements the ports of an identity provider.
//
// It has one type for each of three protocols. A [Verifier] checks session tokens:
// JWTs signed with the keys that the provider publishes. A [Client] sets the role
// of a user at the provider. [WebhookVerifier] verifies and decodes its webhooks.
//
// The package makes no decisions: who may do what, and whether a role in a token is
// still valid, are rules of package learning. The header of a token does not choose
// how the token is verified: the algorithms are fixed, and the keys come from the
// configured address only. Errors contain no token, key or secret.
package identity
