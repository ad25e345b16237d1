package main

import "os"

// heapRoom is by how much the heap may grow, besides the objects in use, before garbage is collected.
const heapRoom = 32 << 20

// roomyHeap returns memory that must stay reachable while the program serves, and is never written to. The collector
// runs each time that the heap has doubled. A server that does little has a heap of a few megabytes, so that under load
// it would run some hundred times a second and take a sixth of the processor time. With this memory it runs when the heap
// has grown by heapRoom more. Pages that were never written take no memory of the machine. With GOGC the operator has
// decided, and it returns nil.
func roomyHeap() []byte {
	if os.Getenv("GOGC") != "" {
		return nil
	}
	return make([]byte, heapRoom)
}
