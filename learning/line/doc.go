// Package line is the room of the lines of purchases: what a purchase of several courses paid, gave
// and gave back for each of them.
//
// It uses packages core, catalog, study, payment and offer. It divides an amount into lines,
// spreads a refund over them, and decides what a payment, a refund and a dispute give and take of
// each course. Almost all of it are pure functions, which room sale calls between reading and
// writing; what they decide about access is stored by room study. It also has what is decided about
// the key of a refund and about a sale that was made elsewhere. It knows no order and calls no
// provider. Begin reading at [Line] and [Part], at refund.go for what a refund does, and at
// access.go for the enrolments.
package line
