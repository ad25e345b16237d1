// Package learning has the domain types, the rules and the operations of Open Lectern,
// an online learning platform.
//
// It decides what a course costs, which actor may do what, and which payment completes
// which purchase. It contains no code of transport or storage: it imports neither
// net/http nor database/sql. A [Store] stores the data (package store), a handler serves
// the operations over HTTP (package httpapi), and a host implements the ports of this
// package ([sale.Gateway], [people.TokenVerifier], [catalog.Media] and so on).
//
// A host creates one [Platform], with options. It is safe for concurrent use:
//
//	platform, err := learning.New(st, learning.WithGateway(g), learning.WithMedia(m))
//
// An operation takes what decides whether its caller may run it, and checks that itself:
//
//   - an [Actor], for an operation of a signed-in user: [sale.Service.OpenOrder]
//   - a token or a signature, for the two providers: [people.Service.Authenticate],
//     [sale.Service.ReceiveGatewayWebhook]
//   - neither, for what everyone may read: [catalog.Service.Catalogue], [certify.Service.VerifyCertificate]
//
// An operation of the host itself, such as [System.ReconcilePurchases], takes none of these
// and checks no permission. Such operations are methods of [System], and no others are.
//
// # Where to read on
//
//   - [Platform]: [New], [Option] and the operations, its methods; [System]: those of the host
//   - [Actor], [Role], [people.Claims]: who calls
//   - [core.Error], [core.Kind], [core.RetryableError]: what an operation refuses
//   - [people.TokenVerifier], [people.WebhookVerifier], [people.RoleGranter]: the identity provider
//   - [sale.Gateway]: payments; [catalog.Media]: files; [AI]: a language model
//   - [certify.CertificateRenderer], [certify.CredentialIssuer]: certificates; [core.Clock]: the time
//   - [catalog.Course], [sale.Purchase], [study.Enrollment], [study.Progress], [community.Rating], [certify.Certificate]: buying and learning
//   - [assess.Quiz], [assess.QuizResult], [Roadmap], [Chat]: what the AI takes part in
//   - [community.Group], [community.Post], [community.Reply]: the community
//   - [people.Application], [Dashboard], [Stats]: educators and admins
//   - [Store], [Tx], [Reader]: what package store implements; a host needs none of their methods
//
// Each noun of the domain has a file of its own. A noun with several files has one
// prefix, as in purchase.go and purchase_order.go.
package learning
