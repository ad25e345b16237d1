// Package sale is the room of selling: orders, payments, and sales that were made elsewhere.
//
// It uses packages core, people, catalog, study, payment, offer, bundle, purchase and refund: a
// payment enrols the buyer in its own transaction, and one that can complete nothing is returned by
// room refund. It decides which payment completes which purchase. It refuses a payment that is not
// proven, and a second redemption of a coupon. The sums that it keeps are right after each commit,
// in whatever order the gateway reports. Begin reading at [Service], at purchase_order.go for an
// order, at purchase_complete.go for a payment, and at purchase_reconcile.go for what no webhook
// has reported.
package sale
