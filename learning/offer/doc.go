// Package offer is the room of what is sold: offers with their prices, and coupons.
//
// It uses packages core, people, catalog, study, certify and payment, whose providers say which
// amounts can be paid. It decides what an offer costs with a coupon in a currency, who may add and
// change coupons, and when one is valid. It refuses a coupon that has not exactly one discount, and
// a price in a currency in which the offer is not sold. It knows no order and no purchase: that
// each user redeems a coupon once is decided in room sale. Begin reading at [Offer], and at
// price.go for what it costs.
package offer
