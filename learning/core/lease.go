package core

import (
	"time"

	"github.com/openlectern/openlectern/internal/lease"
)

// Lease is an exclusive right of a holder, in all instances, until it expires: to open
// an order, to review an application, to call the AI. It has a Name, a Holder, which is
// an id that differs for each lease that was ever taken, and the time ExpiresAt.
type Lease = lease.Lease

// ExpiredLeaseTime is how long a lease, and what a call has reserved, are kept after they have
// expired. Their holder has crashed, because work ends before its lease expires.
const ExpiredLeaseTime = 24 * time.Hour
