// Package identity speaks to the identity provider.
//
// It owns three protocols, one type each. A [Verifier] checks session tokens:
// JWTs signed with the keys that the provider publishes. A [Client] sets the role
// of a user at the provider. [WebhookVerifier] checks the signatures of its webhooks.
//
// It refuses to decide anything: who may do what, and whether a role in a token
// is still the right one, are rules of package learning. It refuses to believe a
// token about how it should be checked: the algorithms are fixed, and the keys
// come from the one configured address, whatever the token's header says. And it
// refuses to repeat a token, a key or a secret in an error.
package identity
