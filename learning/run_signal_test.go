package learning_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// On PostgreSQL an event is delivered at once, also if it was written by a process that does not
// run, such as a command, or a server whose work is done by another process.
func TestRun_PostgreSQL_HearsOfEventsOfProcessesThatDoNotRun(t *testing.T) {
	database := enginetest.PostgreSQL(t)
	var receiver roomtest.Receiver
	options := learningtest.WithPlatform(learning.WithEvents("books", &receiver),
		learning.WithEventsEvery(time.Hour))
	silent := roomtest.New(t, database, options)
	runs := roomtest.New(t, database, options)
	course := silent.Course(t, "go", 0)

	ctx, stop := context.WithCancel(ctx())
	var running sync.WaitGroup
	running.Go(func() { runs.Platform.Run(ctx) })
	defer running.Wait()
	defer stop()
	silent.Enrolls(t, "ada", course)
	roomtest.Await(t, "the event", func() bool { return len(receiver.Events()) > 0 })
}
