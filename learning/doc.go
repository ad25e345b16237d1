// Package learning makes Open Lectern, an online learning platform, of its parts.
//
// Each part of the school is a package below this one, a room, with its types, rules and
// operations: people, file, catalog, study, assess, certify, refund, sale, papers, community,
// tutor, staff and exchange. A [Platform] has a field for each. What concerns all of them is here:
// options, scheduled work, the deletion of a user or a course, the export, the delivery of events.
// None contains code of transport or storage: they import neither net/http nor database/sql. A
// [Store] stores the data (package store), a handler serves the operations over HTTP (package
// httpapi), and a host implements the ports of the rooms ([payment.Provider],
// [people.TokenVerifier], [file.Media] and so on).
//
// A host creates one [Platform], with options. It is safe for concurrent use:
//
//	platform, err := learning.New(st, learning.WithProvider(g), learning.WithMedia(m))
//
// An operation takes what decides whether its caller may run it, and checks that itself:
//
//   - an [Actor], for an operation of a signed-in user: [sale.Service.OpenOrder]
//   - a token or a signature, for the two providers: [people.Service.Authenticate],
//     [sale.Service.ReceiveWebhook]
//   - neither, for what everyone may read: [catalog.Service.Catalogue],
//     [certify.Service.VerifyCertificate]
//
// An operation of the host itself, such as [System.ReconcilePurchases], takes none of these and
// checks no permission. Such operations are methods of [System], or of the type of that name of a
// room. A service of the host that calls an operation with an actor has the one of [System.Actor].
// docs/from-go.md shows how a host calls, and docs/transactions.md what runs in whose transaction.
//
// # Where to read on
//
//   - [Platform]: [New], [Option], the services of the rooms, and operations; [System]: those of
//     the host
//   - [Actor], [Role], [people.Claims]: who calls
//   - [core.Error], [core.Kind], [core.RetryableError]: what an operation refuses
//   - [people.TokenVerifier], [people.WebhookVerifier], [people.RoleGranter]: the identity provider
//   - [payment.Provider]: payments; [file.Media]: pictures and PDFs; [file.Store]: the files
//     of lectures; [tutor.AI]: a language model
//   - [certify.CertificateRenderer], [certify.CredentialIssuer]: certificates
//   - [papers.TaxPort], [papers.Renderer]: receipts and credit notes
//   - [core.EventHandler]: what has happened; [core.Observer]: metrics and traces; [core.Clock]: the
//     time
//   - [catalog.Course], [purchase.Purchase], [refund.Refund], [study.Enrollment], [study.Progress],
//     [community.Rating], [certify.Certificate]: buying and learning
//   - [assess.Quiz], [assess.QuizResult], [tutor.Roadmap], [tutor.Chat]: what the AI takes part in
//   - [community.Group], [community.Post], [community.Reply]: the community
//   - [people.Application], [staff.Dashboard], [staff.Stats]: educators and admins
//   - [Store], [Tx], [Reader]: what package store implements; a host needs none of their methods
//
// Each noun of the domain has a file of its own in its room. A noun with several files has one
// prefix, as in refund.go and refund_request.go of package refund.
package learning
