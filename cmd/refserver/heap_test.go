package main

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

func TestRoomyHeap_GrowsBeforeItIsCollected(t *testing.T) {
	t.Setenv("GOGC", "")
	before := heapGoal()
	room := roomyHeap()
	if goal := heapGoal(); goal < before+2*heapRoom {
		t.Errorf("garbage is collected at %d bytes, before it was at %d", goal, before)
	}
	runtime.KeepAlive(room)

	t.Setenv("GOGC", "50")
	if room := roomyHeap(); room != nil {
		t.Errorf("there are %d bytes although GOGC is set", len(room))
	}
}

// heapGoal returns at which size of the heap garbage is collected next.
func heapGoal() uint64 {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
