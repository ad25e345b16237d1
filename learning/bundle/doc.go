// Package bundle is the room of bundles: several courses that are sold together at one price.
//
// It uses packages core, file, catalog and offer. It decides who may make and change a bundle, what
// it may hold, and whether it is for sale. It refuses the deletion of a course that is in a bundle,
// and courses of others in the bundle of an educator. It knows no purchase: what a buyer gets is
// decided in rooms purchase and sale. Begin reading at [Bundle], at bundle_edit.go for how one
// changes, and at bundle_offer.go for how it is sold.
package bundle
