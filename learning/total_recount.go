package learning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
	"github.com/openlectern/openlectern/internal/schedule"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// TotalKinds lists the kinds of totals of all rooms but [assess.TotalQuestions] and
// [file.TotalFiles], which have tables of their own.
func (s System) TotalKinds() (kinds []core.TotalKind) {
	for _, room := range s.platform.rooms {
		kinds = append(kinds, room.TotalKinds()...)
	}
	return kinds
}

const (
	// recountAfter is the time between the start of an instance and its first recount.
	recountAfter = 5 * time.Minute
	// recountEvery is the interval of recounts, and recountAgain the one after a recount that has
	// found a wrong total, because a version that does not keep it yet may still run.
	recountEvery = 24 * time.Hour
	recountAgain = time.Hour

	// totalsSweep is the name of the sweep that each correction moves.
	totalsSweep = "totals"
	// recountTries limits how often the totals of a kind are compared if others correct them, and
	// recountPart is the number of totals that one statement corrects.
	recountTries = 10
	recountPart  = 500
)

// RunTotals calls [System.RecountTotals] about five minutes after the start and then about once a
// day until ctx is done, and logs an error for each total that was wrong. During an upgrade a
// total is wrong that the version before does not keep yet; RunTotals then compares again after an
// hour. If several instances run it on one database, one of them works at a time.
func (s System) RunTotals(ctx context.Context) {
	s.platform.isRun.Store(true)
	schedule.Loop(ctx, s.platform.recounting())
}

// recounting is the schedule of recountUntilRight.
func (p *Platform) recounting() core.Work {
	return core.Work{
		Schedule: schedule.New(p.base.Leases, "totals", recountEvery,
			p.recountUntilRight),
		FirstPause: recountAfter,
	}
}

// recountUntilRight recounts, with pauses of an hour, until a recount finds no wrong total, and
// returns nil then. It returns the error of a recount, or that of ctx. It logs each total that was
// wrong.
func (p *Platform) recountUntilRight(ctx context.Context) error {
	for {
		corrected, err := p.recountTotals(ctx)
		for _, t := range corrected {
			p.base.Log.ErrorContext(ctx, "total was wrong and is corrected", "kind", string(t.Kind),
				"course", t.CourseID, "part", t.Part,
				"number", t.Number, "amount", t.Amount)
		}
		// A version that does not keep such totals yet may still run, so look again.
		if err != nil || len(corrected) == 0 {
			return err
		}
		if err := backoff.Sleep(ctx, recountAgain); err != nil {
			return err
		}
	}
}

// RecountTotals compares all totals with the rows that they count, corrects those that are wrong,
// and returns what it has added to them. It locks no rows while it counts, so that it may run
// beside any operation. It is safe for concurrent use, also in several processes.
func (s System) RecountTotals(ctx context.Context) (corrected []core.Total, err error) {
	s.platform.isRun.Store(true)
	return s.platform.recountTotals(ctx)
}

// recountTotals is [System.RecountTotals]. After an error, corrected may contain what the last
// transaction was going to add.
func (p *Platform) recountTotals(ctx context.Context) (corrected []core.Total, err error) {
	for _, kind := range p.System().TotalKinds() {
		wrong := func(ctx context.Context) ([]core.Total, error) {
			return p.store.WrongTotals(ctx, kind)
		}
		added, err := recount(ctx, p, wrong, Tx.AddToTotals)
		corrected = append(corrected, added...)
		if err != nil {
			return corrected, fmt.Errorf("recount the total of %s: %w", kind, err)
		}
	}
	questions, err := recount(ctx, p, p.store.WrongQuestionTotals, Tx.AddToQuestionTotals)
	for _, t := range questions {
		corrected = append(corrected, t.AsTotal())
	}
	if err != nil {
		return corrected, core.Wrap("recount the totals of questions", err)
	}
	add := func(tx Tx, ctx context.Context, _ string, changes []file.Total) error {
		return tx.AddToFileTotals(ctx, changes)
	}
	files, err := recount(ctx, p, p.store.WrongFileTotals, add)
	for _, t := range files {
		corrected = append(corrected, t.AsTotal())
	}
	return corrected, core.Wrap("recount the totals of files", err)
}

// recount corrects totals, and returns what it has added to them: wrong reads what must be added,
// and add adds it. With an error it returns what it was going to add, because it may be added if
// only the answer to COMMIT is lost.
//
// The difference between totals and rows is read in one statement, so that it sees a transaction
// that changes both either completely or not at all: the difference is what transactions that do
// not keep totals have left, whatever others do at the same time, and is right to add later. Of two
// recounts that have read the same difference, only one may add it: the one that moves the sweep,
// which both have read before.
func recount[T any](
	ctx context.Context, p *Platform, wrong func(ctx context.Context) ([]T, error),
	add func(tx Tx, ctx context.Context, rowID string, changes []T) error,
) ([]T, error) {
	for range recountTries {
		// Read the sweep, and after it the difference.
		now := p.base.Now()
		from, err := core.BeginSweep(ctx, p.store, p.base,
			core.Sweep{Name: totalsSweep, StartedAt: now, After: core.Position{At: now}})
		if err != nil {
			return nil, err
		}
		changes, err := wrong(ctx)
		if err != nil || len(changes) == 0 {
			return nil, err
		}

		// Move the sweep and add the difference. If another recount has moved it, try again.
		// The new id makes each position another one, and chooses the slot of the totals.
		now = p.base.Now()
		to := core.Sweep{Name: totalsSweep, StartedAt: now, After: core.Position{At: now,
			ID: p.base.NewID()}}
		moved := false
		err = p.base.InTx(ctx, func(tx Tx) error {
			if moved, err = tx.MoveSweep(ctx, from, to); err != nil {
				return err
			}
			if !moved {
				return nil
			}
			for part := range slices.Chunk(changes, recountPart) {
				if err := add(tx, ctx, to.After.ID, part); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || moved {
			return changes, err
		}
	}
	return nil, errors.New("other recounts correct it at the same time")
}

// totalReader reads totals. Other methods read the totals of their nouns.
type totalReader interface {
	// WrongTotals returns what must be added to the totals of a kind so that they are right: the
	// difference between their rows and the totals, at one moment. Totals that are right are
	// left out.
	WrongTotals(ctx context.Context, kind core.TotalKind) ([]core.Total, error)
}

// totalWriter changes totals.
type totalWriter interface {
	// DeleteCourseTotals deletes the totals of a course.
	DeleteCourseTotals(ctx context.Context, courseID string) error
}
