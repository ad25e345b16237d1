// Package httpapi serves a [learning.Platform] over HTTP: the whole contract,
// as one [http.Handler] that any Go server can mount.
//
// It owns what is HTTP: the table of routes (routes.go), the shapes of requests
// and answers, statuses, headers, rate limits and the order in which a request
// passes them. It refuses to decide: who may buy, what a course costs and which
// payment counts is the platform's business, and where the data lies is no
// concern of this package at all.
//
// Everything about a route follows from its row in the table: the router, the
// access rule, the limiter and the schema that a request body must fulfil. A row
// that lacks an access rule stops [New].
package httpapi
