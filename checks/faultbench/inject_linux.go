package faultbench

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
)

// inject lets the faults of a schedule happen, and returns when the last one is over. It must be
// called from the goroutine of the test, because the methods of a node may end the test. Faults of
// providers have no such methods.
func (b *bench) inject(ctx context.Context, s Schedule) {
	var providers sync.WaitGroup
	providers.Go(func() { b.play(ctx, s.Providers) })
	b.play(ctx, s.Inner)
	providers.Wait()
}

// play lets faults happen one after the other, each at its time or as soon as the one before has
// ended, until ctx is done. The journal records when each was active.
func (b *bench) play(ctx context.Context, faults []Fault) {
	for _, f := range faults {
		if backoff.Sleep(ctx, time.Until(b.journal.start.Add(f.At))) != nil {
			return
		}
		end := b.journal.begin(f)
		b.apply(ctx, f)
		end()
	}
}

// apply lets a fault happen and returns when it is over: when what was stopped answers again.
func (b *bench) apply(ctx context.Context, f Fault) {
	wait := func() { _ = backoff.Sleep(ctx, f.For) }
	// A fault of a link is one of its proxy.
	if p := b.links[f.Target]; p != nil {
		applyLink(p, f, wait)
		return
	}
	// Servers and nodes of the engine are numbered.
	target, number, _ := strings.Cut(f.Target, " ")
	i, err := strconv.Atoi(number)
	if err != nil {
		b.journal.problem("there is no target %q", f.Target)
		return
	}
	switch target {
	case targetEngine:
		applyEngine(b.engine.nodes[i], f, wait)
		return
	case targetPooler:
		b.engine.poolers[i].Kill()
		wait()
		b.engine.poolers[i].Start()
		return
	}
	b.applyServer(ctx, b.servers[i], f, wait)
}

// modes are the modes of a proxy during a fault.
var modes = map[Kind]proxyMode{
	LinkCut:      {refuse: true},
	LinkReset:    {},
	LinkDelay:    {delay: 100 * time.Millisecond},
	LinkThrottle: {rate: 20_000},
	LinkStall:    {stall: true},
	LinkHalfOpen: {drop: true},
}

// applyLink lets a link fail while wait runs; a reset takes no time. Connections that were half
// open are reset at the end, as by the other side when it is back.
func applyLink(p *Proxy, f Fault, wait func()) {
	p.set(modes[f.Kind])
	if f.Kind == LinkCut || f.Kind == LinkReset {
		p.reset()
	}
	if f.Kind != LinkReset {
		wait()
	}
	if f.Kind == LinkHalfOpen {
		p.reset()
	}
	p.set(proxyMode{})
}

// applyEngine lets a fault of a node of the engine happen, calls wait, and returns when the node
// answers again.
func applyEngine(n node, f Fault, wait func()) {
	switch f.Kind {
	case EngineFreeze:
		n.Freeze()
		wait()
		n.Thaw()
	case EngineKill:
		n.Kill()
		wait()
		n.Start()
	case SessionsEnd:
		for end := time.Now().Add(f.For); time.Now().Before(end); time.Sleep(time.Second / 10) {
			n.(processNode).EndSessions()
		}
	case ProcessKill:
		n.(processNode).KillProcess()
		wait()
		n.(processNode).Await()
	}
}

// applyServer lets a fault of a server happen, calls wait, and takes the fault back. A server that
// does not start again, and a clock that cannot be moved, are problems of the run.
func (b *bench) applyServer(ctx context.Context, s *server, f Fault, wait func()) {
	var err error
	switch f.Kind {
	case ServerKill, ServerStop:
		if f.Kind == ServerKill {
			s.kill()
		} else {
			s.stop()
		}
		wait()
		err = s.start(ctx)
	case ServerFreeze:
		// The server keeps its connections and locks, and answers nothing.
		s.signal(syscall.SIGSTOP)
		wait()
		s.signal(syscall.SIGCONT)
	case ClockMove:
		err = s.moveClock(f.Clock)
		wait()
		if err == nil {
			err = s.moveClock(0) // back to the time of the system
		}
	case DiskFull:
		const full = true
		s.fillDisk(full)
		wait()
		s.fillDisk(!full)
	}
	// A server that does not start because the run was interrupted is no problem.
	if err != nil && ctx.Err() == nil {
		b.journal.problem("%v", err)
	}
}
