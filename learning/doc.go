// Package learning is the heart of Open Lectern: the domain types, the rules
// and the use cases of an online learning platform.
//
// It owns every decision: what a course costs, who may do what, which payment
// completes which purchase. It refuses everything that is only transport or
// storage: it imports neither net/http nor database/sql and none of the other
// packages of this module. A [Store] keeps the data (package store), a handler
// serves it (package httpapi), and the ports of this package ([Gateway],
// [TokenVerifier], [Media] and so on) are what a host plugs in.
//
// A [Platform] is made once, with options, and is safe for concurrent use:
//
//	platform, err := learning.New(st, learning.WithGateway(g), learning.WithMedia(m))
//
// One noun is one file here, and has the same file name in store and httpapi.
package learning
