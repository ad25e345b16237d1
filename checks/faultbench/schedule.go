//go:build linux

package faultbench

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Kind is a kind of fault.
type Kind string

// The kinds of faults. Those of links are applied by the [Proxy] of the link.
const (
	ServerKill   Kind = "kill -9, then restart"
	ServerStop   Kind = "stop in order, then restart"
	ServerFreeze Kind = "freeze"
	EngineFreeze Kind = "freeze the engine"
	EngineKill   Kind = "kill the engine, then restart"
	ClockMove    Kind = "move the clock"
	DiskFull     Kind = "no file may grow"

	// of an engine that has a process for each connection
	SessionsEnd Kind = "end half of the connections, ten times a second"
	ProcessKill Kind = "kill -9 the process of one connection"
	PoolerKill  Kind = "kill -9 the pooler, then restart"

	LinkCut      Kind = "refuse connections"
	LinkReset    Kind = "reset connections"
	LinkDelay    Kind = "delay each piece"
	LinkThrottle Kind = "throttle"
	LinkStall    Kind = "stall"
	LinkHalfOpen Kind = "half-open connections"
)

// The kinds of targets; targets of which there are several have a number, such as "server 1".
const (
	targetServer   = "server"
	targetEngine   = "engine"
	targetDatabase = "database" // the link of a server to its engine
	targetPooler   = "pooler"
)

// Fault is a failure that begins at an offset from the start of the run.
type Fault struct {
	At     time.Duration
	For    time.Duration
	Kind   Kind
	Target string        // such as "server 0", "database 1", "gateway"
	Clock  time.Duration // of ClockMove: how far
}

// String describes the fault on one line.
func (f Fault) String() string {
	return fmt.Sprintf("%6.1f s: %s: %s for %.1f s", f.At.Seconds(), f.Target, f.text(),
		f.For.Seconds())
}

// text describes what happens, without the time and the target.
func (f Fault) text() string {
	if f.Kind == ClockMove {
		return fmt.Sprintf("%s by %v", f.Kind, f.Clock)
	}
	return string(f.Kind)
}

// Place is what faults can happen to.
type Place struct {
	Servers   int
	Engines   int      // database servers; 0 for SQLite
	Processes bool     // whether the database servers have a process for each connection
	Poolers   int      // before the database
	Providers []string // links to providers, such as "gateway"
}

// Schedule is the faults of a run. The two lanes run at the same time, and the faults of a lane one
// after the other.
type Schedule struct {
	Inner     []Fault // of servers, engines and the links between them
	Providers []Fault
}

// linkKinds are the faults of a link.
var linkKinds = []Kind{LinkCut, LinkReset, LinkDelay, LinkThrottle, LinkStall, LinkHalfOpen}

// clockMoves are the offsets of moved clocks.
var clockMoves = []time.Duration{-time.Hour, -2 * time.Minute, -10 * time.Second, 10 * time.Second,
	2 * time.Minute, time.Hour, 5 * time.Hour}

// NewSchedule chooses the faults of a run that takes a total time. It is a function of its
// arguments.
func NewSchedule(seed uint64, total time.Duration, place Place) Schedule {
	return Schedule{
		Inner:     lane(rand.New(rand.NewPCG(seed, 0)), total, place.inner()),
		Providers: lane(rand.New(rand.NewPCG(seed, 1)), total, place.providers()),
	}
}

// inner lists the faults of servers, engines and the links between them, each kind and target once
// and without a time.
func (p Place) inner() (all []Fault) {
	for i := range p.Servers {
		server := numbered(targetServer, i)
		for _, kind := range []Kind{ServerKill, ServerStop, ServerFreeze, ClockMove, DiskFull} {
			all = append(all, Fault{Kind: kind, Target: server})
		}
		if p.Engines > 0 {
			all = append(all, ofLink(numbered(targetDatabase, i))...)
		}
	}
	for i := range p.Engines {
		engine := numbered(targetEngine, i)
		all = append(all, Fault{Kind: EngineFreeze, Target: engine},
			Fault{Kind: EngineKill, Target: engine})
		if p.Processes {
			all = append(all, Fault{Kind: SessionsEnd, Target: engine},
				Fault{Kind: ProcessKill, Target: engine})
		}
	}
	for i := range p.Poolers {
		all = append(all, Fault{Kind: PoolerKill, Target: numbered(targetPooler, i)})
	}
	return all
}

// providers lists the faults of the links to providers, as inner does.
func (p Place) providers() (all []Fault) {
	for _, name := range p.Providers {
		all = append(all, ofLink(name)...)
	}
	return all
}

// ofLink lists the faults of a link.
func ofLink(target string) (all []Fault) {
	for _, kind := range linkKinds {
		all = append(all, Fault{Kind: kind, Target: target})
	}
	return all
}

// numbered returns the name of the i-th target of a kind, from 0.
func numbered(target string, i int) string { return fmt.Sprintf("%s %d", target, i) }

// Of each period, the last part is quiet, so that failures that no fault explains are noticed.
const (
	period    = 90 * time.Second
	quietPart = 30 * time.Second
)

// lane takes the faults in a random order, and again in another one when all were taken, until the
// time is full. It gives each a time, and returns them in the order of time; none for no faults.
func lane(random *rand.Rand, total time.Duration, faults []Fault) (chosen []Fault) {
	between := func(low, high time.Duration) time.Duration {
		return low + time.Duration(random.Int64N(int64(high-low)))
	}
	var deck []Fault // those that were not taken yet
	at := between(0, 2*time.Second)
	for ; len(faults) > 0; at += between(500*time.Millisecond, 3*time.Second) {
		if len(deck) == 0 {
			deck = slices.Clone(faults)
			random.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		}
		// Take the next fault, for a random time.
		f := deck[0]
		f.At, f.For = at, between(300*time.Millisecond, 2500*time.Millisecond)
		if random.IntN(4) == 0 { // longer than the time limit of a read
			f.For += 6 * time.Second
		}
		if f.Kind == ClockMove {
			f.Clock = clockMoves[random.IntN(len(clockMoves))]
		}
		// Keep the quiet part of each period free: the fault waits for the next period.
		if phase := at % period; phase+f.For > period-quietPart {
			at += period - phase
			continue
		}
		// Stop when the time is full.
		if at+f.For > total {
			break
		}
		chosen = append(chosen, f)
		deck = deck[1:]
		at = at + f.For
	}
	return chosen
}

// All lists the faults of both lanes in the order of time.
func (s Schedule) All() []Fault {
	return slices.SortedFunc(slices.Values(slices.Concat(s.Inner, s.Providers)),
		func(a, b Fault) int { return cmp.Compare(a.At, b.At) })
}
