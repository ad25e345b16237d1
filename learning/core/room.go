package core

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/exportlist"
	"github.com/openlectern/openlectern/internal/schedule"
)

// Room is what every room of the school does when all rooms are asked. T is a transaction of the
// room. Package learning asks the rooms in one order: that of the locks. It is an alias for the
// reason of [Base].
type Room[T Tx] = interface {
	// ForgetUser deletes what the room stores of a user alone, or takes the user's id and texts
	// out of it. The lists of an export that are private are deleted afterwards.
	ForgetUser(ctx context.Context, tx T, changes *Changes, userID string, at time.Time) error
	// ForgetCourse deletes what the room stores of a course alone. The course is locked, and nobody
	// is or was enrolled in it. A room that does not let it be deleted returns an [Error].
	ForgetCourse(ctx context.Context, tx T, changes *Changes, courseID string) error
	// ExportLists declares what an export of a user's data lists of the room. It needs no platform:
	// the API document describes the lists.
	ExportLists() []exportlist.List
	// TotalKinds lists the kinds of [Total] that the room keeps, so that they are compared with
	// their rows.
	TotalKinds() []TotalKind
	// TidyingSteps lists what is to be done every few minutes, in its order.
	TidyingSteps() []TidyingStep
	// Works lists what one instance at a time does regularly, besides tidying.
	Works() []Work
}

// Work is what one instance at a time does about once in each interval.
type Work = schedule.Work

// TidyingStep removes leftovers of one kind, or finishes work that nobody has come back for.
type TidyingStep struct {
	Name string // what it does, such as "delete unused files"
	Do   func(ctx context.Context) error
}

// NarrowRoom returns a room for transactions of a wider store. as returns one as a transaction of
// the room: see [Narrow].
func NarrowRoom[N, W Tx](room Room[N], as func(W) N) Room[W] {
	return narrowRoom[N, W]{Room: room, as: as}
}

type narrowRoom[N, W Tx] struct {
	Room[N]
	as func(W) N
}

func (r narrowRoom[N, W]) ForgetUser(
	ctx context.Context, tx W, changes *Changes, userID string, at time.Time,
) error {
	return r.Room.ForgetUser(ctx, r.as(tx), changes, userID, at)
}

func (r narrowRoom[N, W]) ForgetCourse(
	ctx context.Context, tx W, changes *Changes, courseID string,
) error {
	return r.Room.ForgetCourse(ctx, r.as(tx), changes, courseID)
}
