// Package sale is the room of selling: orders, payments and refunds.
//
// It uses packages core, people, catalog, study, certify, payment, offer and purchase: a payment enrols the
// buyer, and a refund ends that and may revoke the certificate, in the transaction of the payment or
// the refund. It decides which payment completes which purchase, and what a refund ends. It refuses a
// payment that is not proven, a second redemption of a coupon, and a refund of more than was paid.
// The sums that it keeps are right after each commit, in whatever order the gateway reports. Begin
// reading at [Service], at purchase_order.go for an order, at purchase_complete.go for a payment,
// and at refund_apply.go for a refund.
package sale
