// Package papers is the room of receipts and credit notes: what a purchase and a refund leave on
// paper, with numbers that have no gap, and the billing data of users.
//
// It uses packages core, purchase and refund. A paper is made in the transaction of its payment or
// refund, as one of the hooks of rooms sale and refund, and waits there for its number. Scheduled
// work asks for the tax, outside a transaction, and then takes the next number, so that buyers do
// not wait for each other. A paper says for ever what it said when it was numbered. Nothing removes
// a number: a credit note whose refund fails later is taken back by another paper. Begin reading at
// [Service], at paper_cause.go for which papers there are, and at paper_number.go for the numbers.
package papers
