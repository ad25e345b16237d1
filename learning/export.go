package learning

import (
	"context"
	"errors"
	"strconv"
	"time"
)

// Export is everything that the platform stores about one user, for this user. It is not safe
// for concurrent use. Each list is read in parts while it is written, so that an export of any
// length needs little memory and holds no connection. A list has the rows that exist while
// it is read; after the last one, call [Export.Check].
type Export struct {
	At          time.Time      // of the export
	User        *User          // without Enrolled; nil if the record of the user has not arrived
	Role        RoleAssignment // zero if no role is stored
	Application *Application   // nil if there is none

	Purchases         *List[Purchase]
	Refunds           *List[Refund]     // of these purchases
	Enrollments       *List[Enrollment] // without GrantedBy
	PastEnrollments   *List[PastEnrollment]
	CompletedLectures *List[LectureCompletion]
	CompletedCourses  *List[CourseCompletion]
	Ratings           *List[Rating]
	TimeEntries       *List[TimeEntry]
	QuizResults       *List[QuizResult]
	Certificates      *List[Certificate]
	Chats             *List[Chat] // without Opening
	ChatMessages      *List[NumberedMessage]
	Memberships       *List[Membership]
	Posts             *List[Post]  // with the ids of author and group only
	Replies           *List[Reply] // with the id of the author only
	Votes             *List[Vote]
	Complaints        *List[Complaint] // that the user made; Excerpt is the text of another user
	AIUsage           *List[AIDay]
	Courses           *List[Course] // that the user teaches

	check func(ctx context.Context) error
}

// LectureCompletion is a lecture of a course that a user has completed.
type LectureCompletion struct {
	CourseID string
	CompletedLecture
}

// CourseCompletion is a course that a user has completed.
type CourseCompletion struct {
	CourseID string
	At       time.Time
}

// NumberedMessage is a message with its position in a chat, from 0.
type NumberedMessage struct {
	ChatID string
	Number int
	ChatMessage
}

// AIDay is the AI usage of a user in one UTC day.
type AIDay struct {
	Day string // such as 2026-01-31
	AIUsage
}

// Check returns [ErrUserNotFound] if the user was deleted after the export had begun, so that its
// lists may lack rows.
func (e *Export) Check(ctx context.Context) error { return e.check(ctx) }

// Export returns everything that the platform stores about the actor. Error:
// [ErrUnauthenticated].
func (p *Platform) Export(ctx context.Context, actor Actor) (*Export, error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	export, _, err := p.export(ctx, actor.UserID)
	if errors.Is(err, ErrUserNotFound) { // deleted since the actor was identified
		return nil, ErrUnauthenticated
	}
	return export, err
}

// Export returns everything that the platform stores about a user. It returns
// [ErrUserNotFound] if there is no record of the user, or the user was deleted.
func (s System) Export(ctx context.Context, userID string) (*Export, error) {
	if !validID(userID, maxUserID) {
		return nil, ErrUserNotFound
	}
	export, known, err := s.platform.export(ctx, userID)
	if err == nil && !known {
		err = ErrUserNotFound
	}
	if err != nil {
		return nil, err
	}
	return export, nil
}

// export returns the export of a user who is not deleted, and whether there is a record of
// the user.
func (p *Platform) export(ctx context.Context, userID string) (e *Export, known bool, err error) {
	s, err := p.store.AccountState(ctx, userID)
	if err == nil && s.Deleted {
		err = ErrUserNotFound
	}
	if err != nil {
		return nil, false, wrap("export a user", err)
	}
	e = p.exportLists(userID)
	e.At, e.Role = p.now(), s.RoleAssignment
	if s.Known {
		u, err := p.store.UserRecord(ctx, userID)
		if err != nil {
			return nil, false, wrap("export the record of a user", orUserNotFound(err))
		}
		e.User = &u
	}
	a, err := p.store.ApplicationOf(ctx, userID)
	switch {
	case err == nil:
		e.Application = &a
	case !errors.Is(err, ErrNoRecord):
		return nil, false, wrap("export the application of a user", err)
	}
	return e, s.Known, nil
}

// orUserNotFound returns [ErrUserNotFound] for [ErrNoRecord].
func orUserNotFound(err error) error {
	if errors.Is(err, ErrNoRecord) {
		return ErrUserNotFound
	}
	return err
}

// exportLists returns the lists of an export. Each has the rows of one table.
func (p *Platform) exportLists(userID string) *Export {
	s := p.store
	return &Export{
		Purchases:         ownList(userID, s.OwnPurchases, func(r *Purchase) Position { return Position{ID: r.ID} }),
		Refunds:           ownList(userID, s.OwnRefunds, func(r *Refund) Position { return Position{ID: r.PurchaseID, ID2: r.ID} }),
		Enrollments:       ownList(userID, s.OwnEnrollments, func(r *Enrollment) Position { return Position{ID: r.CourseID} }),
		PastEnrollments:   ownList(userID, s.OwnPastEnrollments, func(r *PastEnrollment) Position { return Position{At: r.CreatedAt, ID: r.ID} }),
		CompletedLectures: ownList(userID, s.OwnCompletedLectures, func(r *LectureCompletion) Position { return Position{ID: r.CourseID, ID2: r.LectureID} }),
		CompletedCourses:  ownList(userID, s.OwnCompletedCourses, func(r *CourseCompletion) Position { return Position{ID: r.CourseID} }),
		Ratings:           ownList(userID, s.OwnRatings, func(r *Rating) Position { return Position{ID: r.CourseID} }),
		TimeEntries:       ownList(userID, s.OwnTimeEntries, func(r *TimeEntry) Position { return Position{At: r.Day, ID: r.Page, ID2: r.Path} }),
		QuizResults:       ownList(userID, s.OwnQuizResults, func(r *QuizResult) Position { return Position{At: r.CreatedAt, ID: r.ID} }),
		Certificates:      ownList(userID, s.OwnCertificates, func(r *Certificate) Position { return Position{ID: r.CourseID} }),
		Chats:             ownList(userID, s.OwnChats, func(r *Chat) Position { return Position{ID: r.ID} }),
		ChatMessages:      ownList(userID, s.OwnChatMessages, func(r *NumberedMessage) Position { return Position{ID: r.ChatID, ID2: strconv.Itoa(r.Number)} }),
		Memberships:       ownList(userID, s.OwnMemberships, func(r *Membership) Position { return Position{ID: r.GroupID} }),
		Posts:             ownList(userID, s.OwnPosts, func(r *Post) Position { return Position{ID: r.ID} }),
		Replies:           ownList(userID, s.OwnReplies, func(r *Reply) Position { return Position{ID: r.ID} }),
		Votes:             ownList(userID, s.OwnVotes, func(r *Vote) Position { return Position{ID: r.PostID, ID2: r.ReplyID} }),
		Complaints:        ownList(userID, s.OwnComplaints, func(r *Complaint) Position { return Position{ID: r.PostID, ID2: r.ReplyID} }),
		AIUsage:           ownList(userID, s.OwnAIUsage, func(r *AIDay) Position { return Position{ID: r.Day} }),
		Courses:           ownList(userID, s.OwnCourses, func(r *Course) Position { return Position{At: r.CreatedAt, ID: r.ID} }),

		check: func(ctx context.Context) error {
			state, err := s.AccountState(ctx, userID)
			if err == nil && state.Deleted {
				return ErrUserNotFound
			}
			return wrap("read the user of an export", err)
		},
	}
}

// exportRows is how many rows an export reads at once, at most. It bounds the memory, because
// the texts of rows that follow short ones may be long.
const exportRows = 100

// ownList returns the list of the rows of a user, which read returns in the order of their
// positions.
func ownList[Row any](userID string, read func(ctx context.Context, userID string, page Page) ([]Row, error), position func(*Row) Position) *List[Row] {
	list := pagedList("export a user", inPages(func(ctx context.Context, page Page) ([]Row, error) {
		return read(ctx, userID, page)
	}), position)
	next := list.next
	list.next = func(ctx context.Context, rows int, fn func(Row) error) (bool, error) {
		return next(ctx, min(rows, exportRows), fn)
	}
	return list
}

// exportReader reads the rows of one user for an export. Each method Own… lists a page of the
// rows of one table, in the order of its key.
type exportReader interface {
	// UserRecord reads a record, without the courses of the user. It returns [ErrNoRecord]
	// if the user was deleted.
	UserRecord(ctx context.Context, id string) (User, error)
	OwnPurchases(ctx context.Context, userID string, page Page) ([]Purchase, error)
	// OwnRefunds lists the refunds of the purchases of a user.
	OwnRefunds(ctx context.Context, userID string, page Page) ([]Refund, error)
	OwnEnrollments(ctx context.Context, userID string, page Page) ([]Enrollment, error)
	OwnPastEnrollments(ctx context.Context, userID string, page Page) ([]PastEnrollment, error)
	OwnCompletedLectures(ctx context.Context, userID string, page Page) ([]LectureCompletion, error)
	OwnCompletedCourses(ctx context.Context, userID string, page Page) ([]CourseCompletion, error)
	OwnRatings(ctx context.Context, userID string, page Page) ([]Rating, error)
	// OwnTimeEntries takes the page and the path of the last entry as the ids of a position.
	OwnTimeEntries(ctx context.Context, userID string, page Page) ([]TimeEntry, error)
	OwnQuizResults(ctx context.Context, userID string, page Page) ([]QuizResult, error)
	OwnCertificates(ctx context.Context, userID string, page Page) ([]Certificate, error)
	OwnChats(ctx context.Context, userID string, page Page) ([]Chat, error)
	OwnChatMessages(ctx context.Context, userID string, page Page) ([]NumberedMessage, error)
	OwnMemberships(ctx context.Context, userID string, page Page) ([]Membership, error)
	OwnPosts(ctx context.Context, userID string, page Page) ([]Post, error)
	OwnReplies(ctx context.Context, userID string, page Page) ([]Reply, error)
	OwnVotes(ctx context.Context, userID string, page Page) ([]Vote, error)
	OwnComplaints(ctx context.Context, userID string, page Page) ([]Complaint, error)
	OwnAIUsage(ctx context.Context, userID string, page Page) ([]AIDay, error)
	OwnCourses(ctx context.Context, userID string, page Page) ([]Course, error)
}
