package assess

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/schedule"
	"github.com/openlectern/openlectern/learning/core"
)

// NotifyQuizRemarked tells a student of another percentage of a result.
const NotifyQuizRemarked core.NotificationKind = "quiz.remarked"

// Remark says whether the attempts at a quiz are marked anew when it is saved.
type Remark string

// The values of Remark.
const (
	RemarkNone Remark = ""
	RemarkUp   Remark = "up"  // no percentage falls
	RemarkAll  Remark = "all" // percentages may fall
)

// QuizRemark is the marking anew of the attempts at the quiz of a chapter: those of before a
// version, by the key that the quiz has at present. It is kept afterwards, because attempts that
// are open then are marked by the present key when they are submitted.
type QuizRemark struct {
	CourseID  string
	ChapterID string
	Version   int64 // of the quiz that was saved
	Mode      Remark
	IsWaiting bool
	// After is the last user whose attempts are marked anew, in the order of the ids.
	After     string
	CreatedAt time.Time
}

const (
	// remarkEvery is the interval at which an instance looks for attempts to mark anew.
	remarkEvery = 2 * time.Minute
	// remarkLease is the lease of it, after which another instance goes on if one crashes.
	remarkLease = 15 * time.Second
	// remarksAtOnce, studentsAtOnce and attemptsAtOnce are how many are read at a time.
	remarksAtOnce  = 10
	studentsAtOnce = 100
	attemptsAtOnce = 20
)

// remarking is the schedule of remarkAll.
func (s *ForRooms) remarking() core.Work {
	return core.Work{
		Schedule: schedule.New(s.base.Leases, "quiz remarks", remarkEvery, s.remarkAll).
			WithLease(remarkLease).OnlyIf(s.store.RemarksWait),
		FirstPause: schedule.FirstPause(remarkEvery),
	}
}

// orderRemark has the attempts of before a quiz was saved marked anew. Where this waits already,
// the latest save wins, also one that does not ask for it: the work begins anew with its key.
func orderRemark(ctx context.Context, tx Tx, saved Quiz, mode Remark) error {
	last, err := tx.QuizRemark(ctx, saved.CourseID, saved.ChapterID)
	if err != nil && !errors.Is(err, core.ErrNoRecord) {
		return err
	}
	if mode == RemarkNone {
		if !last.IsWaiting {
			return nil
		}
		mode = last.Mode
	}
	return tx.SetQuizRemark(ctx, QuizRemark{CourseID: saved.CourseID, ChapterID: saved.ChapterID,
		Version: saved.Version, Mode: mode, IsWaiting: true, CreatedAt: saved.UpdatedAt})
}

// remarkAll marks the attempts anew that wait for it. If those of a quiz cannot be marked, it goes
// on with the others, and returns the errors.
func (s *ForRooms) remarkAll(ctx context.Context) error {
	for {
		list, err := s.store.RemarksWaiting(ctx, remarksAtOnce)
		if err != nil {
			return core.Wrap("list quizzes to mark anew", err)
		}
		if len(list) == 0 {
			return nil
		}
		var failures []error
		for _, r := range list {
			if err := s.remarkQuiz(ctx, r); err != nil {
				failures = append(failures, fmt.Errorf("mark the quiz of chapter %s anew: %w",
					r.ChapterID, err))
			}
		}
		if len(failures) > 0 {
			return errors.Join(failures...)
		}
	}
}

// remarkQuiz marks the attempts at a quiz anew, those of one student in each transaction. It
// returns if the quiz is saved meanwhile: that begins anew.
func (s *ForRooms) remarkQuiz(ctx context.Context, r QuizRemark) error {
	quiz, err := s.store.Quiz(ctx, r.CourseID, r.ChapterID)
	if err != nil && !errors.Is(err, core.ErrNoRecord) {
		return err
	}
	isRemoved := err != nil // there is no key any more
	for {
		var students []string
		if !isRemoved {
			students, err = s.store.AttemptStudents(ctx, r, studentsAtOnce)
			if err != nil {
				return err
			}
		}
		for _, userID := range students {
			moved, err := s.remarkStudent(ctx, r, quiz, userID)
			if err != nil || !moved {
				return err
			}
			r.After = userID
		}
		if len(students) < studentsAtOnce {
			return s.base.InTx(ctx, func(tx Tx) error {
				_, err := tx.MoveQuizRemark(ctx, r.After, r.ended())
				return err
			})
		}
	}
}

// ended returns the remark as it is kept after its work.
func (r QuizRemark) ended() QuizRemark {
	r.IsWaiting, r.After = false, ""
	return r
}

// remarkStudent marks the attempts of a student anew, and tells the student once if one has another
// percentage. It moves the position of the work from where it was read, so that of two instances
// one does it, and after a crash another one goes on behind it. It returns false if it was moved
// meanwhile.
func (s *ForRooms) remarkStudent(
	ctx context.Context, r QuizRemark, quiz Quiz, userID string,
) (isMoved bool, err error) {
	err = s.base.ChangeOfUser(ctx, userID, func(tx Tx, changes *core.Changes) error {
		next := r
		next.After = userID
		if isMoved, err = tx.MoveQuizRemark(ctx, r.After, next); err != nil || !isMoved {
			return err
		}
		work := remarked{tx: tx, changes: changes, mode: r.Mode, quiz: quiz}
		for number := 0; ; {
			list, err := tx.AttemptsToRemark(ctx, r, userID, number, attemptsAtOnce)
			if err != nil {
				return err
			}
			for _, a := range list {
				number = a.Number
				if err := work.remark(ctx, a); err != nil {
					return fmt.Errorf("mark attempt %s anew: %w", a.ID, err)
				}
			}
			if len(list) < attemptsAtOnce {
				break
			}
		}
		work.finish(userID)
		return nil
	})
	return isMoved, err
}

// remarked is what a transaction has marked anew of one student.
type remarked struct {
	tx      Tx
	changes *core.Changes
	mode    Remark
	quiz    Quiz
	latest  string                    // the id of the last attempt with another mark
	told    string                    // of the last one with another percentage
	sums    map[string]*QuestionTotal // what the totals of questions gain, by the question
}

// remark marks a submitted attempt anew.
func (w *remarked) remark(ctx context.Context, a AttemptState) error {
	// Nothing changes without another key, or where points would be lost.
	old := *a.Result
	rekeyed := a.QuizAttempt
	rekeyed.Questions = rekeyedQuestions(a.Questions, w.quiz)
	if reflect.DeepEqual(rekeyed.Questions, a.Questions) {
		return nil
	}
	marked := rekeyed.mark()
	if w.mode != RemarkAll && marked.Score < old.Score {
		return nil
	}

	// Keep the key, which the student may read, and stop where the same answers are right.
	if err := w.tx.SetAttemptQuestions(ctx, a.ID, rekeyed.Questions); err != nil {
		return err
	}
	isSame := slices.EqualFunc(a.Questions, rekeyed.Questions, func(before, now Question) bool {
		given := a.Answers[before.ID]
		return before.IsRightAnswer(given) == now.IsRightAnswer(given)
	})
	if isSame {
		return nil
	}

	// Replace the mark, and what it adds to the totals.
	marked.CreatedAt, marked.StartedAt, marked.Took = old.CreatedAt, old.StartedAt, old.Took
	if !a.Review.namesWrong(marked.Passed, a.Questions) {
		marked.wrong = nil
	}
	marked.Recommendations = rekeyed.defaultRecommendations(marked)
	w.latest = a.ID
	if marked.Percentage != old.Percentage {
		w.told = a.ID
	}
	w.changes.Count(a.ID, core.TotalsChange(attemptTotals(old),
		attemptTotals(marked.QuizResult))...)
	w.add(old.QuestionTotals(), -1)
	w.add(marked.QuestionTotals(), 1)
	return w.tx.ReplaceQuizMark(ctx, marked.QuizResult)
}

// add adds totals of questions to the sums; with -1 as the factor it subtracts them.
func (w *remarked) add(totals []QuestionTotal, factor int) {
	if w.sums == nil {
		w.sums = map[string]*QuestionTotal{}
	}
	for _, t := range totals {
		if w.sums[t.QuestionID] == nil {
			w.sums[t.QuestionID] = &QuestionTotal{CourseID: t.CourseID, ChapterID: t.ChapterID,
				QuestionID: t.QuestionID}
		}
		sum := w.sums[t.QuestionID]
		sum.Kind, sum.Text = t.Kind, t.Text // at last those of a mark that was made now
		sum.Add(t.QuestionSums, factor)
	}
}

// finish writes the totals of questions at the end of the transaction, and tells the student.
func (w *remarked) finish(userID string) {
	var totals []QuestionTotal
	for _, id := range slices.Sorted(maps.Keys(w.sums)) {
		totals = append(totals, *w.sums[id])
	}
	if len(totals) > 0 {
		w.changes.AtEnd(func(ctx context.Context) error {
			return w.tx.AddToQuestionTotals(ctx, w.latest, totals)
		})
	}
	if w.told != "" {
		w.changes.Notify("", core.Notification{
			Kind:     NotifyQuizRemarked,
			ReaderID: userID,
			Thing:    w.quiz.ID,
			NotificationIDs: core.NotificationIDs{CourseID: w.quiz.CourseID,
				ChapterID: w.quiz.ChapterID, AttemptID: w.told},
		})
	}
}

// withPresentKey returns an open attempt with the present key of its quiz, if the attempts of its
// version are marked anew, and stores that.
func withPresentKey(ctx context.Context, tx Tx, a QuizAttempt) (QuizAttempt, error) {
	if a.KeyVersion <= a.Version {
		return a, nil
	}
	quiz, err := tx.Quiz(ctx, a.CourseID, a.ChapterID)
	if errors.Is(err, core.ErrNoRecord) { // removed meanwhile
		return a, nil
	}
	if err != nil {
		return a, err
	}
	a.Questions = rekeyedQuestions(a.Questions, quiz)
	return a, tx.SetAttemptQuestions(ctx, a.ID, a.Questions)
}

// rekeyedQuestions returns the questions of an attempt with the solutions that the quiz has now for
// those whose id, kind and options are the same. Texts and points stay.
func rekeyedQuestions(given []Question, quiz Quiz) []Question {
	present := make(map[string]Question, len(quiz.Questions))
	for _, q := range quiz.Questions {
		present[q.ID] = q
	}
	list := slices.Clone(given)
	for i, q := range list {
		now, isKept := present[q.ID]
		if !isKept || now.Kind != q.Kind {
			continue
		}
		ids, isSame := q.sameOptions(now)
		if !isSame {
			continue
		}
		if len(ids) > 0 { // solutions without options are no ids
			now = now.withOptionIDs(func(id string) string { return ids[id] })
		}
		list[i].Solution = now.Solution
	}
	return list
}

// sameOptions reports whether another question has the options of q, in any order, and returns the
// ids of those of q by the ids of the other one: an attempt that shows them in another order may
// have other ids.
func (q Question) sameOptions(other Question) (ids map[string]string, isSame bool) {
	byText := make(map[string]string, len(q.Options))
	for _, o := range q.Options {
		byText[o.Text] = o.ID
	}
	ids = make(map[string]string, len(q.Options))
	for _, o := range other.Options {
		id, isThere := byText[o.Text]
		if !isThere {
			return nil, false
		}
		delete(byText, o.Text)
		ids[o.ID] = id
	}
	return ids, len(byText) == 0 && len(ids) == len(q.Options)
}

// System has the operations of the host itself on quizzes and assignments. They take no actor and
// check no permission.
type System struct{ service *Service }

// System returns the operations that take no actor.
func (s *Service) System() System { return System{s} }

// RemarkQuizzes marks the attempts anew that wait for it. Platform.Run of package learning does it
// every few seconds. It is safe for concurrent use, also in several processes.
func (host System) RemarkQuizzes(ctx context.Context) error {
	return host.service.ForRooms().remarkAll(ctx)
}

// remarkReader reads what is marked anew.
type remarkReader interface {
	// QuizRemark reads the latest marking anew of the attempts at the quiz of a chapter.
	QuizRemark(ctx context.Context, courseID, chapterID string) (QuizRemark, error)
	// RemarksWaiting lists at most limit of those that wait, the oldest first.
	RemarksWaiting(ctx context.Context, limit int) ([]QuizRemark, error)
	// RemarksWait reports whether one waits.
	RemarksWait(ctx context.Context) (bool, error)
	// AttemptStudents lists at most limit users behind r.After who have attempts at the quiz of r,
	// in the order of their ids.
	AttemptStudents(ctx context.Context, r QuizRemark, limit int) ([]string, error)
	// AttemptsToRemark lists at most limit submitted attempts of a user at the quiz of r, of before
	// its version, with their results and their marks, in the order of their numbers, which are
	// greater than after.
	AttemptsToRemark(ctx context.Context, r QuizRemark, userID string, after,
		limit int) ([]AttemptState, error)
}

// remarkWriter changes what is marked anew.
type remarkWriter interface {
	// SetQuizRemark stores a marking anew in place of the one of its chapter.
	SetQuizRemark(ctx context.Context, r QuizRemark) error
	// MoveQuizRemark sets After and IsWaiting of a marking anew, if it waits, has the version of r
	// and was moved to from last. It reports whether it has.
	MoveQuizRemark(ctx context.Context, from string, r QuizRemark) (bool, error)
	// ReplaceQuizMark replaces the mark of a result: its points, percentage, mastery, whether it is
	// a pass, its recommendations and the marks of its questions.
	ReplaceQuizMark(ctx context.Context, r QuizResult) error
	// SetAttemptQuestions replaces the questions of an attempt.
	SetAttemptQuestions(ctx context.Context, id string, questions []Question) error
	// DeleteQuizRemarks deletes what is kept of the quizzes of a course.
	DeleteQuizRemarks(ctx context.Context, courseID string) error
}
