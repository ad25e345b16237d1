//go:build linux

package faultbench

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var twoServers = Place{Servers: 2, Engines: 1, Processes: true, Poolers: 1,
	Providers: []string{"gateway", "ai"}}

func TestSchedule_SameSeedGivesTheSameFaults(t *testing.T) {
	t.Parallel()
	first := NewSchedule(7, 5*time.Minute, twoServers)
	if diff := cmp.Diff(first, NewSchedule(7, 5*time.Minute, twoServers)); diff != "" {
		t.Errorf("the schedules differ: %s", diff)
	}
	if cmp.Equal(first, NewSchedule(8, 5*time.Minute, twoServers)) {
		t.Error("another seed gives the same schedule")
	}
}

func TestSchedule_EndsInTimeAndLeavesQuietParts(t *testing.T) {
	t.Parallel()
	const total = 4 * time.Minute
	for seed := range uint64(20) {
		s := NewSchedule(seed, total, twoServers)
		for _, lane := range [][]Fault{s.Inner, s.Providers} {
			for i, f := range lane {
				if f.At+f.For > total || f.At%period+f.For > period-quietPart {
					t.Errorf("seed %d: %v is too late", seed, f)
				}
				if i > 0 && f.At < lane[i-1].At+lane[i-1].For {
					t.Errorf("seed %d: %v begins before %v ends", seed, f, lane[i-1])
				}
			}
		}
	}
}

func TestSchedule_LongRunHasEveryFault(t *testing.T) {
	t.Parallel()
	all := NewSchedule(1, 10*time.Minute, twoServers).All()
	for _, want := range slices.Concat(twoServers.inner(), twoServers.providers()) {
		if !slices.ContainsFunc(all,
			func(f Fault) bool { return f.Kind == want.Kind && f.Target == want.Target }) {
			t.Errorf("%s: %s never happens", want.Target, want.Kind)
		}
	}
}

func TestSchedule_WithoutEnginesHasNoFaultsOfEngines(t *testing.T) {
	t.Parallel()
	for _, f := range NewSchedule(1, 10*time.Minute,
		Place{Servers: 1, Providers: []string{"gateway"}}).All() {
		if f.Target != "server 0" && f.Target != "gateway" {
			t.Errorf("there is %v", f)
		}
	}
}
