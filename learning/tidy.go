package learning

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/schedule"
	"github.com/openlectern/openlectern/learning/core"
)

// tidyStepTime is the time limit of a step, so that a media store that does not answer does
// not hold up the other steps. The next run does the rest.
const tidyStepTime = time.Minute

// tidyingSteps returns the steps of a run: those of the rooms in their order, in which attempts are
// marked before anything else that takes time, because students wait for it.
func (p *Platform) tidyingSteps() (steps []core.TidyingStep) {
	for _, room := range p.rooms {
		steps = append(steps, room.TidyingSteps()...)
	}
	return append(steps, core.TidyingStep{Name: "delete expired leases", Do: p.deleteExpiredLeases})
}

// deleteExpiredLeases deletes the leases that are not kept any more.
func (p *Platform) deleteExpiredLeases(ctx context.Context) error {
	return p.base.Leases.DeleteExpired(ctx, p.base.Now().Add(-core.ExpiredLeaseTime))
}

// Tidy marks attempts at quizzes whose time is over, if the student has not come back. It removes
// what crashed processes and failed calls have left: leases and reservations of the AI
// that expired a day ago, keys of refunds that are not remembered any more, files that
// nothing uses, and PDFs of revoked certificates. A file that cannot be deleted is tried
// again after an hour. If a step fails, Tidy continues with the others and returns all errors
// joined. A server calls [System.RunTidying] instead. Tidy is safe for concurrent use, also in
// several processes.
func (s System) Tidy(ctx context.Context) error {
	s.platform.isRun.Store(true)
	var failed []error
	for _, step := range s.platform.tidyingSteps() {
		if err := runTidyingStep(ctx, step); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", step.Name, err))
		}
	}
	return errors.Join(append(failed, ctx.Err())...)
}

// runTidyingStep does a step. It is not an error that the time of the step is over.
func runTidyingStep(ctx context.Context, step core.TidyingStep) error {
	limited, cancel := context.WithTimeout(ctx, tidyStepTime)
	defer cancel()
	err := step.Do(limited)

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
	s.platform.isRun.Store(true)
	if every <= 0 {
		return
	}
	schedule.Loop(ctx, s.tidying(every))
}

// tidying is the schedule of Tidy.
func (s System) tidying(every time.Duration) core.Work {
	return core.Work{
		Schedule:   schedule.New(s.platform.base.Leases, "tidy", every, s.Tidy),
		FirstPause: schedule.FirstPause(every),
	}
}
