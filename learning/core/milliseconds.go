package core

// Milliseconds is an amount of time, with the precision of browsers. Sums can be
// greater than a [time.Duration].
type Milliseconds int64

// Seconds returns the time in whole seconds, a half rounded up. m is never negative.
func (m Milliseconds) Seconds() int64 { return int64((m + 500) / 1000) }
