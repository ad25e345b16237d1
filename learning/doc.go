// Package learning has the domain types, the rules and the operations of Open Lectern,
// an online learning platform.
//
// It decides what a course costs, which actor may do what, and which payment completes
// which purchase. It contains no code of transport or storage: it imports neither
// net/http nor database/sql. A [Store] stores the data (package store), a handler serves
// the operations over HTTP (package httpapi), and a host implements the ports of this
// package ([Gateway], [TokenVerifier], [Media] and so on).
//
// A host creates one [Platform], with options. It is safe for concurrent use:
//
//	platform, err := learning.New(st, learning.WithGateway(g), learning.WithMedia(m))
//
// Each noun of the domain has a file of its own. A noun with several files has one
// prefix, as in purchase.go and purchase_order.go.
package learning
