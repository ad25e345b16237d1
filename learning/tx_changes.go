package learning

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/openlectern/openlectern/internal/outbox"
)

// txChanges collects what one run of a transaction tells others: its events, and its changes of
// totals. It collects no events if the platform has neither targets of events nor functions of the
// host.
type txChanges struct {
	box              *outbox.Outbox
	hasEvents        bool // whether it collects events
	newID            func() string
	now              func() time.Time
	catalogueChanged func() // for [Tx.AfterCommit]

	events []outbox.Event // that are not stored yet
	all    []Event        // of the run
	totals []Total
	rowID  string // of the first row that changes a total

	questions []QuestionTotal // of the only result of the run
	files     []FileTotal
}

// add adds an event with a subject of the given kind ("course", "purchase" or "user") and id. It
// does nothing if the platform has no use for events.
func (tc *txChanges) add(t EventType, kind, id string, d EventData) {
	if !tc.hasEvents {
		return
	}
	e := outbox.Event{
		ID:        tc.newID(),
		Type:      string(t),
		CreatedAt: tc.now(),
		Subject:   kind + ":" + id,
		Data:      d,
	}
	tc.events = append(tc.events, e)
	tc.all = append(tc.all, eventOf(e))
}

// course adds an event of a course, and the methods purchase, enrollment, certificate and
// application add events of theirs. title is that of the course.
func (tc *txChanges) course(t EventType, c Course) {
	tc.add(t, "course", c.ID,
		EventData{CourseID: c.ID, CourseTitle: c.Title, EducatorID: c.Educator.ID})
}

// courseEdited adds the event of an edit. A change of a draft has none.
func (tc *txChanges) courseEdited(old, edited Course) {
	switch {
	case edited.Published && !old.Published:
		tc.course(EventCoursePublished, edited)
	case edited.Published:
		tc.course(EventCourseUpdated, edited)
	case old.Published:
		tc.course(EventCourseUnpublished, edited)
	}
}

func (tc *txChanges) purchase(t EventType, p Purchase, title string) {
	tc.add(t, "purchase", p.ID, purchaseData(p, title))
}

// purchaseData returns the data of an event of a purchase.
func purchaseData(p Purchase, title string) EventData {
	return EventData{PurchaseID: p.ID, UserID: p.UserID, CourseID: p.CourseID, CourseTitle: title,
		Amount: p.Amount, Currency: p.Currency, PaymentID: p.PaymentID}
}

// refund adds the event of a refund that changes by how much p was refunded. counted is positive
// for a refund that was processed, and negative for one that has failed after that.
func (tc *txChanges) refund(p Purchase, r Refund, counted Money, title string) {
	t := EventPurchaseRefunded
	if counted < 0 {
		t = EventPurchaseRefundFailed
	}
	data := purchaseData(p, title)
	data.Amount = max(counted, -counted)
	data.PaymentID = cmp.Or(r.PaymentID, p.PaymentID)
	data.RefundID = r.ID
	tc.add(t, "purchase", p.ID, data)
}

func (tc *txChanges) enrollment(t EventType, e Enrollment, title string) {
	tc.add(t, "user", e.UserID,
		EventData{UserID: e.UserID, CourseID: e.CourseID, CourseTitle: title,
			PurchaseID: e.PurchaseID})
}

func (tc *txChanges) certificate(t EventType, c Certificate) {
	tc.add(t, "user", c.UserID,
		EventData{CertificateID: c.ID, UserID: c.UserID, CourseID: c.CourseID,
			CourseTitle: c.CourseTitle})
}

// post adds an event of a post. title is that of its course.
func (tc *txChanges) post(t EventType, p Post, title string) {
	tc.add(t, "user", p.Author.ID, EventData{PostID: p.ID, UserID: p.Author.ID,
		CourseID: p.CourseID, CourseTitle: title, LectureID: p.LectureID})
}

// reply adds the event of a new reply to a post.
func (tc *txChanges) reply(to Post, r Reply) {
	tc.add(EventReplyCreated, "user", r.Author.ID, EventData{PostID: to.ID, ReplyID: r.ID,
		UserID: r.Author.ID, CourseID: to.CourseID, LectureID: to.LectureID})
}

func (tc *txChanges) quizResult(r QuizResult, title string) {
	tc.add(EventQuizSubmitted, "user", r.UserID,
		EventData{UserID: r.UserID, CourseID: r.CourseID, CourseTitle: title,
			ChapterID: r.ChapterID, ResultID: r.ID})
}

// submission adds an event of a submission. title is that of its course.
func (tc *txChanges) submission(t EventType, s AssignmentSubmission, title string) {
	tc.add(t, "user", s.Student.ID, EventData{UserID: s.Student.ID, CourseID: s.CourseID,
		CourseTitle: title, LectureID: s.LectureID, SubmissionID: s.ID})
}

func (tc *txChanges) lectureCompleted(userID, courseID, title, lectureID string) {
	tc.add(EventLectureCompleted, "user", userID, EventData{UserID: userID, CourseID: courseID,
		CourseTitle: title, LectureID: lectureID})
}

func (tc *txChanges) application(t EventType, a Application) {
	tc.add(t, "user", a.UserID, EventData{ApplicationID: a.ID, UserID: a.UserID})
}

// count collects changes of totals, which are written at the end of the transaction. rowID is the
// id of the row that has changed; the first one chooses the slot for all: see AddToTotals.
func (tc *txChanges) count(rowID string, totals ...Total) {
	tc.rowID = cmp.Or(tc.rowID, rowID)
	tc.totals = append(tc.totals, totals...)
}

// countSale adds what the transition of a purchase changes in the totals of sales. before is zero
// for a new purchase.
func (tc *txChanges) countSale(before, after Purchase) {
	tc.count(after.ID, totalsChange(saleTotals(before), saleTotals(after))...)
}

// countResult adds a new result to the totals of its quiz and of its questions.
func (tc *txChanges) countResult(r QuizResult) {
	tc.count(r.ID, attemptTotals(r)...)
	tc.questions = r.QuestionTotals()
}

// countFiles collects changes of the totals of files.
func (tc *txChanges) countFiles(changes ...FileTotal) { tc.files = append(tc.files, changes...) }

// writeTotals adds the collected changes to the totals, in one statement, and before it those to
// the totals of questions and of files, in other ones.
func (tc *txChanges) writeTotals(ctx context.Context, tx Tx) error {
	if len(tc.questions) > 0 {
		if err := tx.AddToQuestionTotals(ctx, tc.rowID, tc.questions); err != nil {
			return err
		}
	}
	if files := mergeFileTotals(tc.files); len(files) > 0 {
		if err := tx.AddToFileTotals(ctx, files); err != nil {
			return err
		}
	}
	totals := mergeTotals(tc.totals)
	if len(totals) == 0 {
		return nil
	}
	return tx.AddToTotals(ctx, tc.rowID, totals)
}

// write stores the events that were collected since it was last called, if there are targets.
// inTxEvents calls it at the end of the transaction. A transaction that locks a row which others
// need, such as that of a course, calls it before that too, so that it holds the lock for a shorter
// time.
func (tc *txChanges) write(ctx context.Context, tx Tx) error {
	events := tc.events
	tc.events = nil
	if len(tc.box.Targets) == 0 { // the events are for the functions of the host only
		return nil
	}
	return tc.box.Write(ctx, tx, events)
}

// inTxEvents runs fn in a transaction, and stores the events and the changes of totals that fn
// collects. The functions of the host get all events in one call, after all rows but the totals are
// written, so that they can read them. The totals come last, because their rows are shared by many
// transactions: one that waited for another lock after changing a total, such as for a row of the
// host, would delay them. inTxEvents runs the transaction again if a concurrent one has written an
// event of the same subject. fn and the functions of the host may run again for other reasons too:
//
//	reason                                          who runs it again     runs at most
//	deadlock, lock time-out, busy database, lost    [Store.InTx]          8, or 24 while the server
//	connection, COMMIT without effect                                     finds conflicts
//	the number of an event was taken                outbox.Retry          100
//	[ErrDuplicate]: what fn had read has changed    record.RetryDuplicate 5, as in inUserTx
//
// Each row begins the row above anew. docs/architecture.md ("How often a transaction runs") has the
// whole table.
func (p *Platform) inTxEvents(ctx context.Context, fn func(tx Tx, changes *txChanges) error) error {
	return outbox.Retry(ctx, func() error {
		return p.store.InTx(ctx, func(tx Tx) error {
			changes := &txChanges{
				box:              p.events,
				hasEvents:        p.hasEvents(),
				newID:            p.newID,
				now:              p.now,
				catalogueChanged: p.catalogueChanged,
			}
			if err := fn(tx, changes); err != nil {
				return err
			}
			if err := changes.write(ctx, tx); err != nil {
				return err
			}
			if err := p.tellHost(ctx, tx, changes.all); err != nil {
				return err
			}
			return changes.writeTotals(ctx, tx)
		})
	})
}

// hasEvents reports whether a target or a function of the host gets events.
func (p *Platform) hasEvents() bool { return len(p.events.Targets) > 0 || len(p.hostFuncs) > 0 }

// eventTitle returns the title of a course for an event, or "" if nothing gets events.
func (p *Platform) eventTitle(ctx context.Context, courseID string) (string, error) {
	if !p.hasEvents() {
		return "", nil
	}
	c, err := p.store.Course(ctx, courseID)
	if errors.Is(err, ErrNoRecord) { // the title of a deleted course is ""
		err = nil
	}
	return c.Title, wrap("read the course of an event", err)
}
