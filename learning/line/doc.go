// Package line is the room of the lines of purchases: what a purchase of several courses paid, gave
// and gave back for each of them.
//
// It uses packages core, catalog and study. It divides an amount into lines, spreads a refund over
// them, and decides when a line ends the enrolment that it gave. All of it are pure functions, which
// room sale calls between reading and writing. It knows no order and no provider. Begin reading at
// [Line], and at refund.go for what a refund does.
package line
