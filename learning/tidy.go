package learning

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/schedule"
)

const (
	// tidyStepTime is the time limit of a step, so that a media store that does not answer does
	// not hold up the other steps. The next run does the rest.
	tidyStepTime = time.Minute
	// leaseKept is how long the lease and the reservation of a call are kept after they have
	// expired. Their holder has crashed, because work ends before its lease expires.
	leaseKept = 24 * time.Hour
)

// tidyingStep removes leftovers of one kind.
type tidyingStep struct {
	name string // what it does
	do   func(ctx context.Context) error
}

// tidyingSteps returns the steps of a run in their order. The PDFs of revoked certificates
// and the files and uploads of educators come before the unused files, because they become unused
// files.
func (p *Platform) tidyingSteps() []tidyingStep {
	steps := []tidyingStep{
		// The first, because students wait for it.
		{"mark attempts whose time is over", p.Assess.ForRooms().CloseAttempts},
		{"delete expired leases", func(ctx context.Context) error {
			return p.base.Leases.DeleteExpired(ctx, p.base.Now().Add(-leaseKept))
		}},
		{"book reservations of crashed AI calls", func(ctx context.Context) error {
			return p.Tutor.ForRooms().BookExpiredCalls(ctx, p.base.Now().Add(-leaseKept))
		}},
		{"delete the keys of refunds", p.Sales.ForRooms().DeleteRefundKeys},
	}
	if p.catalogSettings.Media != nil {
		steps = append(steps,
			tidyingStep{"give up PDFs of revoked certificates",
				p.Certify.ForRooms().GiveUpRevokedPDFs})
	}
	if p.catalogSettings.Files != nil {
		steps = append(steps, tidyingStep{"give up files that no course uses",
			p.Catalog.ForRooms().GiveUpUnusedFiles},
			tidyingStep{"give up uploads that have expired", p.Catalog.ForRooms().GiveUpUploads})
	}
	if p.catalogSettings.Media != nil || p.catalogSettings.Files != nil {
		steps = append(steps, tidyingStep{"delete unused files",
			p.Catalog.ForRooms().DeleteUnusedFiles})
	}
	return steps
}

// Tidy marks attempts at quizzes whose time is over, if the student has not come back. It removes
// what crashed processes and failed calls have left: leases and reservations of the AI
// that expired a day ago, keys of refunds that are not remembered any more, files that
// nothing uses, and PDFs of revoked certificates. A file that cannot be deleted is tried
// again after an hour. If a step fails, Tidy continues with the others and returns all errors
// joined. A server calls [System.RunTidying] instead. Tidy is safe for concurrent use, also in
// several processes.
func (s System) Tidy(ctx context.Context) error {
	var failed []error
	for _, step := range s.platform.tidyingSteps() {
		if err := step.run(ctx); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", step.name, err))
		}
	}
	return errors.Join(append(failed, ctx.Err())...)
}

// run does the step. It is not an error that the time of the step is over.
func (s tidyingStep) run(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, tidyStepTime)
	defer cancel()
	err := s.do(limited)

	// If only the time of the step is over, the next run continues.
	isTimeOver := limited.Err() != nil && ctx.Err() == nil
	if isTimeOver {
		return nil
	}
	return err
}

// RunTidying calls [System.Tidy] about every interval, such as five minutes, until ctx is done,
// and logs failures. If several instances run it on one database, one of them tidies at a time,
// and another one continues if that one ends. The first call is about a minute after the start (or
// an interval, if that is shorter), or later if the last call of any instance is less than an
// interval ago. RunTidying returns at once if every is not positive.
func (s System) RunTidying(ctx context.Context, every time.Duration) {
	if every <= 0 {
		return
	}
	schedule.New(s.platform.base.Leases, "tidy", every, s.Tidy).Loop(ctx,
		schedule.FirstPause(every))
}
