// Package purchase is the room of what a purchase is: its states, its lines, and what each of them
// gives and takes.
//
// It uses packages core, catalog, study, payment and offer. It divides an amount into lines,
// decides what a payment, a refund and a dispute do to each enrolment, and stores purchases with
// their lines, events and totals. It is data and pure decisions: it has no operations, opens no
// order and calls no provider. Rooms refund and sale do that, and call it between reading and
// writing. It refuses to store over a purchase that has changed. Begin reading at [Purchase], at
// [Line] and [Part] for a bundle, and at access.go for the enrolments.
package purchase
