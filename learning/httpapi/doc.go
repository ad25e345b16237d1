// Package httpapi serves a [learning.Platform] over HTTP: the whole contract,
// as one [http.Handler] that any Go server can mount.
//
// It contains everything that is HTTP: the table of routes (routes.go, with a file for
// each room, such as routes_sale.go), the shapes of requests and answers, statuses,
// headers, rate limits, and the order in which they apply to a request. It has no business rules:
// the platform decides who may buy, what a course costs and which payment counts. It does not know
// where data is stored.
//
// Everything about a route follows from its row in the table: the router, the
// access rule, the limiter and the schema that a request body must fulfil. [New]
// returns an error for a row without an access rule.
package httpapi
