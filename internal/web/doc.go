// Package web has what every HTTP API needs and no noun: a router, the bounds on bodies, answers
// and time, the log line of a request, the one writer of errors, and answers that are sent in
// parts. It does not know who calls, what is answered or why a request fails: a [Server] is given
// functions that say so.
package web
