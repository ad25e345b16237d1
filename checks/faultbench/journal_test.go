//go:build linux

package faultbench

import (
	"testing"
	"time"
)

func TestJournal_FailuresThatNoFaultExplainsAreFound(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	long := int(grace/time.Second) + 10
	failure := func(area area, server, from, to int) request {
		return request{area: area, server: server, status: 500, started: at(from), done: at(to)}
	}
	for name, test := range map[string]struct {
		fault     Fault
		request   request
		explained bool
	}{
		"during": {Fault{Target: "server 0"}, failure(areaPlain, 0, 11, 12),
			true},
		"before": {Fault{Target: "server 0"}, failure(areaPlain, 0, 1, 2),
			false},
		"begins during": {Fault{Target: "server 0"}, failure(areaPlain, 0, 11, long),
			true},
		"after": {Fault{Target: "server 0"},
			failure(areaPlain, 0, 20+long, 21+long), false},
		"another server": {Fault{Target: "server 0"}, failure(areaPlain, 1, 11, 12),
			false},
		"the database of another": {Fault{Target: "database 0"}, failure(areaPlain, 1, 11, 12),
			true},
		"the gateway": {Fault{Target: linkGateway}, failure(areaPurchase, 1, 11, 12),
			true},
		"Stripe": {Fault{Target: linkStripe}, failure(areaPurchase, 1, 11, 12),
			true},
		"the gateway, while posting": {Fault{Target: linkGateway}, failure(areaPlain, 1, 11, 12),
			false},
		"the clock": {Fault{Target: "server 0", Kind: ClockMove},
			failure(areaPlain, 0, 11, 12), false},
	} {
		j := newJournal()
		j.start, j.faults = start, []*occurrence{{Fault: test.fault, from: at(10), until: at(15)}}
		j.record(test.request)
		if found := j.findings(); (len(found) == 0) != test.explained {
			t.Errorf("%s: explained %v, found %q", name, test.explained, found)
		}
	}
}

func TestJournal_AnswersBelow500AreNoFailures(t *testing.T) {
	t.Parallel()
	j := newJournal()
	j.record(request{route: "course.list", status: 404, started: time.Now(), done: time.Now()})
	if found := j.findings(); len(found) != 0 {
		t.Errorf("found %q", found)
	}
}
