package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/openlectern/openlectern/internal/singleflight"
	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

const (
	// listFresh is how long a list is served after it was compared with the database. So an
	// enrolment, a rating and any change by another process may be missing for that time.
	listFresh = time.Second
	// listAging is the age from which one request compares the list again, while the others
	// are served.
	listAging = listFresh / 2
	// listShare is the largest part of the time in which the list is made, as a divisor:
	// 10 means a tenth. If making the list takes longer than listFresh / listShare, it is
	// served for longer than listFresh.
	listShare = 10
	// listPause bounds the time between two makings, because a slow database, too, makes them
	// take long.
	listPause = 30 * time.Second
	// listTime bounds the time to make the list, which does not end with a request.
	listTime = 30 * time.Second
)

// catalogue caches the encoded list of courses, because nearly every visitor requests it and
// it is the same for all. A change of a course by this process is in the next answer. An
// enrolment, a rating and a change by another process are in the answers within a second, or
// later if making the list takes so long that it would take more than a tenth of the time.
type catalogue struct {
	list  atomic.Pointer[encodedList]
	calls singleflight.Group[struct{}, struct{}]
}

// encodedList is the encoded answer.
type encodedList struct {
	storedAnswer
	isLong   bool             // there is no body, because it would be too long to be kept
	changes  uint64           // of this process, before it was read
	revision catalog.Revision // of the database, before it was read
	due      time.Time        // from when one request compares it again
	expires  time.Time        // until when it is served, if no course has changed
}

type coursesAnswer struct {
	Courses []courseJSON `json:"courses" doc:"The published courses, the oldest first."`
	Next    nextCursor   `json:"nextCursor,omitzero"`
}

// listCourses answers a page of the published courses, if the query asks for one, or all of them:
// from the kept list, or read anew if that would be too long to be kept.
func (a *api) listCourses(w http.ResponseWriter, c *call) error {
	if asksForCoursePage(c) {
		return a.coursePage(w, c)
	}
	// The whole list is kept in memory, encoded.
	list, err := a.currentList(c.Context())
	if err != nil {
		return err
	}
	// A list that is too long to be kept is read in pages, and sent as one answer.
	if list.isLong {
		h := w.Header()
		h.Set("Content-Type", web.JSONType)
		h.Set("Cache-Control", revalidate)
		return writePages(w, c, "courses", a.courses(c.Context(), catalog.CourseQuery{}),
			shapeInPlace(a.course))
	}
	list.write(w, c, web.JSONType)
	return nil
}

// currentList returns a list with all changes of courses by this process up to now, and
// everything else as of a second ago (see catalogue):
//
//	kept list                          answer
//	complete and not due               the kept list
//	complete, due and not expired      the kept list, while a new one is made
//	incomplete, expired or missing     a new one, for which the call waits
//
// Whether a list has expired is decided at the time of the call, so that a list that takes long to
// make has not expired when it is ready.
func (a *api) currentList(ctx context.Context) (*encodedList, error) {
	wanted, now := a.platform.Catalog.CatalogueChanges(), time.Now()
	// Again after each wait: the list that was waited for may have been begun before a change that
	// this caller must see.
	for {
		list := a.catalogue.list.Load()
		isComplete := list != nil && list.changes >= wanted // has all changes by this process
		if isComplete && now.Before(list.due) {
			return list, nil
		}
		// Start makes the list, unless it is being made, even if all clients leave, because the
		// next requests need it. It does not wait.
		a.catalogue.calls.Start(ctx, struct{}{}, a.refreshAndLog)
		if isComplete && now.Before(list.expires) {
			return list, nil
		}
		// Do waits for the list that is being made.
		if _, err := a.catalogue.calls.Do(ctx, struct{}{}, a.refreshAndLog); err != nil {
			return nil, err
		}
	}
}

// refreshAndLog refreshes the list and logs a failure, because callers that are served the old list
// do not get it.
func (a *api) refreshAndLog(ctx context.Context) (none struct{}, err error) {
	// A refresh that Do has begun is cancelled when no request waits for it any more. That is no
	// failure.
	if err = a.refreshList(ctx); err != nil && ctx.Err() == nil {
		a.server.Log.ErrorContext(ctx, "make the list of courses", "error", err)
	}
	return none, err
}

// logPanic logs a panic of refreshAndLog with its stack.
func (a *api) logPanic(ctx context.Context, e *singleflight.PanicError) {
	a.server.Log.ErrorContext(ctx, "make the list of courses", "panic", e.Value, "stack",
		string(e.Stack))
}

// refreshList replaces the kept list: by the same bodies with a new lifetime if the database has
// not changed, and else by a new list. It reads the number of changes and the revision before the
// list, so that a change in between makes the next call read again.
func (a *api) refreshList(ctx context.Context) error {
	ctx = core.WithReadClass(ctx, core.OrdinaryReads) // the list is for all callers
	// A database that is too slow is answered as one that is busy.
	ctx, cancel := context.WithTimeoutCause(ctx, listTime, core.ErrBusy)
	defer cancel()
	begun := time.Now()
	next := &encodedList{changes: a.platform.Catalog.CatalogueChanges()}
	// Read the revision first, then reuse the old list or make a new one.
	revision, err := a.platform.Catalog.CatalogueRevision(ctx)
	if err != nil {
		return err
	}
	next.revision = revision
	var took time.Duration // to make the list; 0 if the old one is reused
	if old := a.catalogue.list.Load(); old != nil && old.revision == revision {
		next.storedAnswer, next.isLong = old.storedAnswer, old.isLong
	} else {
		if err := a.encodeList(ctx, next); err != nil {
			return err
		}
		took = time.Since(begun)
	}
	// Replace the kept list as a whole, so that readers need no lock.
	next.due, next.expires = lifetime(begun, took)
	a.catalogue.list.Store(next)
	return nil
}

// lifetime returns when a list is compared with the database again, and when it expires. begun is
// when its making began, and took how long that lasted. A list that took too long to be made once a
// second is served while the next one is made, so that no request waits for it.
func lifetime(begun time.Time, took time.Duration) (due, expires time.Time) {
	pause := min(listShare*took, listPause) // between two makings
	due = begun.Add(max(listAging, pause))
	if pause <= listFresh {
		return due, begun.Add(listFresh)
	}
	return due, due.Add(3 * took) // making the next one may take longer than this one took
}

// encodeList reads the list and sets the answer of next, or isLong if the list is too long to be
// kept. The observer of the platform gets it as an operation.
func (a *api) encodeList(ctx context.Context, next *encodedList) (err error) {
	ctx, end := a.observe(ctx, core.OperationList, "courses")
	defer func() { end(err) }()
	// Encode once, compress once, and make a tag for each of the two bodies.
	plain, err := a.encodeCourses(ctx)
	if errors.Is(err, web.ErrPartFull) {
		next.isLong = true
		return nil
	}
	if err != nil {
		return err
	}
	next.storedAnswer, err = newStoredAnswer(plain)
	return err
}

// encodeCourses reads and encodes the list. It returns web.ErrPartFull for one that is too long to
// be kept.
func (a *api) encodeCourses(ctx context.Context) ([]byte, error) {
	// A longer list is read by each request, so that memory does not grow with the catalogue.
	keptBytes := int(a.server.Answers.Half / 2)
	var plain bytes.Buffer
	plain.WriteString(`{"success":true,"courses":[`)
	first := plain.Len()
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	for course, err := range core.All(a.courses(ctx, catalog.CourseQuery{})) {
		if err != nil {
			return nil, err
		}
		if plain.Len() > keptBytes {
			return nil, web.ErrPartFull
		}
		if plain.Len() > first {
			plain.WriteByte(',')
		}
		if err := e.Encode(a.course(course)); err != nil {
			return nil, fmt.Errorf("encode a course: %w", err)
		}
		plain.Truncate(plain.Len() - len("\n")) // which the encoder adds
	}
	plain.WriteString(`]}`)
	return plain.Bytes(), nil
}
