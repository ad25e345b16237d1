// Package refund is the room of what is given back: refunds, by an admin, at the provider or by
// hand, their keys, and the disputes of buyers' banks.
//
// It uses packages core, catalog, study, certify, payment and purchase: a refund ends the enrolment
// and may revoke the certificate, in its own transaction. It decides what a request refunds and
// what a report of the provider counts, and asks the provider for what no webhook has reported. It
// refuses a refund of more than was paid, a key with another request, and a report that a closed
// dispute or a failed refund has overtaken. The sums that it keeps are right after each commit, in
// whatever order the provider reports. Begin reading at [Service], at [Refund], at
// refund_request.go for what an admin asks for, at refund_apply.go for a report, and at
// dispute_apply.go for a dispute.
package refund
