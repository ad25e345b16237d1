//go:build linux

package faultbench

import (
	"maps"
	"strconv"
	"strings"
	"sync"
)

// claims are what the servers have answered, which the database must hold. They are safe for
// concurrent use.
type claims struct {
	mu    sync.Mutex
	byKey map[string]map[string]string // by kind and key
}

// The kinds of claims, each with its key and value.
const (
	claimName        = "name"        // user: the name
	claimLecture     = "lecture"     // user|course|lecture: answered
	claimVote        = "vote"        // post|user: answered or unknown
	claimMembership  = "membership"  // group|user: the same
	claimPost        = "post"        // post: answered
	claimReply       = "reply"       // reply: answered
	claimRating      = "rating"      // user|course|stars: answered
	claimCertificate = "certificate" // user|course: URL of the PDF
	claimEnrolled    = "enrolled"    // user|course: answered
	claimResult      = "result"      // user|course|chapter: answered
	claimAccess      = "access"      // user|course, decided by an admin: granted, ended or unknown
	// user: approved, rejected or unknown, and the id of the application, joined by "|"
	claimApplication = "application"
	claimRefund      = "refund" // purchase: answered
	claimPart        = "part"   // purchase: the number of requests for the refund of a part
)

const (
	answered = "answered"
	unknown  = "unknown"
	granted  = "granted"
	ended    = "ended"
)

func newClaims() *claims { return &claims{byKey: map[string]map[string]string{}} }

// add stores a claim, and returns the value that it replaces, or "".
func (c *claims) add(key, value, kind string) (before string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey[kind] == nil {
		c.byKey[kind] = map[string]string{}
	}
	before = c.byKey[kind][key]
	c.byKey[kind][key] = value
	return before
}

// increment adds one to the number that a claim has as its value; it begins with 0. Only one
// visitor may change a claim so, because increment reads and then writes.
func (c *claims) increment(key, kind string) {
	n, _ := strconv.Atoi(c.add(key, "", kind)) // 0 for "", if there is none yet
	c.add(key, strconv.Itoa(n+1), kind)
}

// count returns the number of claims of a kind whose keys have a prefix.
func (c *claims) count(prefix, kind string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.byKey[kind] {
		if strings.HasPrefix(key, prefix) {
			n++
		}
	}
	return n
}

// copied returns a copy of the claims of a kind.
func (c *claims) copied(kind string) map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.byKey[kind])
}

// of returns the claims of a kind, and no copy of them. It may only be used when the visitors have
// ended.
func (c *claims) of(kind string) map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byKey[kind]
}
