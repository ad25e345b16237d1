package community

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// Post is a text or a question of a user in the community.
type Post struct {
	ID      string
	Title   string
	Content string // unchanged, with any markup; a front end must escape it
	Tags    []string
	Author  core.Person // the ID is shown to who teaches the course only
	// AuthorRole is [core.Admin] if an admin has written the post, or else [core.Educator] for the
	// educator of its course, or of any course if it is in none; else [core.Student]. InsertPost
	// stores whether it is Admin.
	AuthorRole      core.Role
	Group           Group  // ID, Name, Slug and Icon; the zero Group for a post in none
	CourseID        string // "" for a post of the community, which everyone can read
	LectureID       string // "" for a post at no lecture; the course may not have it any more
	EducatorID      string // of its course, if the post is a question: see [Question]; else ""
	Upvotes         int
	Replies         int
	StaffReplies    int // those of the educator of its course and of admins
	Resolved        bool
	AcceptedReplyID string // the reply that answers it; "" for none
	CreatedAt       time.Time
	UpdatedAt       time.Time
	EditedAt        time.Time // when the author last changed title or content; zero for never

	Upvoted bool // whether the actor of the query has voted for it
}

// IsBy reports whether the actor wrote the post.
func (p Post) IsBy(a core.Actor) bool { return a.SignedIn() && p.Author.ID == a.UserID }

// PostTab is one of the lists of posts.
type PostTab string

// The lists of posts (docs/api.md §11).
const (
	AllPosts      PostTab = "all"      // the newest first
	TrendingPosts PostTab = "trending" // the most upvotes first, the newest first on a tie
	MyGroupsPosts PostTab = "myGroups" // those in the actor's groups, the newest first
)

// ParsePostTab returns the list with a name. It reports false, and the list is not to be used, if
// there is none.
func ParsePostTab(s string) (PostTab, bool) {
	tab := PostTab(s)
	return tab, tab == AllPosts || tab == TrendingPosts || tab == MyGroupsPosts
}

// PostQuery selects posts: those of a course, or those that are in no course.
type PostQuery struct {
	Tab       PostTab // not [MyGroupsPosts] with a CourseID
	GroupID   string  // only of this group; "" for all; not with a CourseID
	CourseID  string  // the course; "" for the posts in none
	LectureID string  // only at this lecture of the course; "" for all
}

// The reasons for which the place of a post, or of a query, is refused.
const (
	needsCourse   = "must be sent together with courseId"
	notWithCourse = "must not be sent together with courseId"
)

// check returns an error unless posts can be selected like that.
func (q PostQuery) check() error {
	isInCourse := q.CourseID != ""
	return cmp.Or(core.Require(isInCourse || q.LectureID == "", "lectureId", needsCourse),
		core.Require(!isInCourse || q.GroupID == "", "groupId", notWithCourse),
		core.Require(!isInCourse || q.Tab != MyGroupsPosts, "tab",
			"must not be myGroups together with courseId"))
}

// Limits of a post (docs/api.md §11), in code points.
const (
	MaxPostTitle   = 200
	MaxPostContent = 5_000
	MaxTags        = 5
	MaxTag         = 30
)

// NewPost is the input of [Service.CreatePost].
type NewPost struct {
	Title   string
	Content string
	GroupID string // "" for none
	// CourseID makes it a post for the students of a course, its educator and admins; "" for a post
	// for everyone. A post in a course is in no group.
	CourseID  string
	LectureID string   // of the course; "" for none
	Tags      []string // blank ones are dropped, the first five are kept, each cut to 30 code points
}

// normalized returns the post with trimmed texts and at most [MaxTags] tags. It returns
// [core.ErrInvalidRequest] if a limit is exceeded. It does not change n.
func (n NewPost) normalized() (NewPost, error) {
	n.Title = strings.TrimSpace(n.Title)
	n.Content = strings.TrimSpace(n.Content)
	n.Tags = normalizeTags(n.Tags)
	// The tags have the right length now, but a database may not be able to store one. Its index
	// need not be that in the request, because blank ones are dropped.
	isUnstorable := func(tag string) bool { return !text.Is(tag, 1, MaxTag) }
	err := cmp.Or(core.RequireText("title", n.Title, 1, MaxPostTitle),
		core.RequireText("content", n.Content, 1, MaxPostContent),
		core.Require(!slices.ContainsFunc(n.Tags, isUnstorable), "tags",
			"must be UTF-8 without U+0000"),
		core.Require(n.CourseID != "" || n.LectureID == "", "lectureId", needsCourse),
		core.Require(n.CourseID == "" || n.GroupID == "", "groupId", notWithCourse))
	if err != nil {
		return NewPost{}, err
	}
	return n, nil
}

// normalizeTags returns the first [MaxTags] tags that are not blank, each trimmed and cut to
// [MaxTag] code points.
func normalizeTags(tags []string) []string {
	kept := make([]string, 0, MaxTags)
	for _, tag := range tags {
		if len(kept) == MaxTags {
			break
		}
		if tag = strings.TrimSpace(tag); tag != "" {
			tag = strings.TrimSpace(text.Truncate(tag,
				MaxTag)) // the cut may leave a space at the end
			kept = append(kept, tag)
		}
	}
	return kept
}

// Thread is a post with the replies to it.
type Thread struct {
	Post    Post
	Replies iter.Seq2[Reply, error] // the accepted one first, then the oldest
}

// Thread returns a post with its replies. The actor need not be signed in. Error:
// [ErrPostNotFound], also for a post in a course that the actor has no access to.
func (s *Service) Thread(ctx context.Context, actor core.Actor, postID string) (Thread, error) {
	post, _, err := findPost(ctx, s.store, actor, postID, s.base.Now())
	if err != nil {
		return Thread{}, core.Wrap("read a post", err)
	}
	return Thread{Post: post, Replies: s.replies(ctx, actor, post)}, nil
}

// findPost reads a post that the actor may read, as the actor sees it, with its course, which is
// zero for a post in none. Every operation on a post calls it. Error: [ErrPostNotFound].
func findPost(
	ctx context.Context, r Reader, actor core.Actor, id string, now time.Time,
) (Post, catalog.Course, error) {
	post, err := r.Post(ctx, id, actor.UserID)
	if errors.Is(err, core.ErrNoRecord) {
		return Post{}, catalog.Course{}, ErrPostNotFound
	}
	if err != nil || post.CourseID == "" {
		return post, catalog.Course{}, err
	}
	access, err := study.AccessOf(ctx, r, actor, post.CourseID, now)
	if err == nil && !mayDiscuss(access, post.LectureID) {
		err = ErrPostNotFound
	}
	return post, access.Course, err
}

// CreatePost creates a post. In a course the actor must be enrolled, its educator or an admin.
// Errors: [core.ErrUnauthenticated], [core.ErrInvalidRequest], [ErrGroupNotFound], and in a course
// [ErrPostNotFound] for all others and [catalog.ErrInvalidLecture].
func (s *Service) CreatePost(ctx context.Context, actor core.Actor,
	n NewPost) (created Post, err error) {
	if err := actor.Require(); err != nil {
		return Post{}, err
	}
	if n, err = n.normalized(); err != nil {
		return Post{}, err
	}
	if n.GroupID != "" && !text.ValidID(n.GroupID, text.MaxID) {
		return Post{}, ErrGroupNotFound
	}
	caller, course, err := s.postPlace(ctx, actor, n.CourseID, n.LectureID)
	if err != nil {
		return Post{}, err
	}
	post := Post{
		ID:         s.base.NewID(),
		Title:      n.Title,
		Content:    n.Content,
		Tags:       n.Tags,
		Author:     core.Person{ID: actor.UserID},
		AuthorRole: actor.Role,
		Group:      Group{ID: n.GroupID},
		CourseID:   n.CourseID,
		LectureID:  n.LectureID,
		EducatorID: askedBy(actor, course),
		CreatedAt:  s.base.Now(),
		UpdatedAt:  s.base.Now(),
	}

	// Insert the post and count it: in the totals, and in its group.
	err = s.changeOfAuthor(ctx, post, func(tx Tx, changes *core.Changes) error {
		// A course without students may be deleted meanwhile, which deletes its posts.
		if caller == catalog.Editor {
			if err := catalog.LockCourse(ctx, tx, n.CourseID); err != nil {
				return err
			}
		}
		addPostEvent(changes, EventPostCreated, post, course.Title)
		notifyQuestion(changes, post, course)
		changes.Count(post.ID, post.totals()...)
		if err := addToGroupPosts(ctx, tx, n.GroupID, 1); err != nil {
			return err
		}
		if err := tx.InsertPost(ctx, post); err != nil {
			return err
		}
		// Read it with the names of its author and its group.
		created, err = tx.Post(ctx, post.ID, actor.UserID)
		return err
	})
	return created, core.Wrap("create a post", err)
}

// postPlace checks that the actor may write a post in a course, at one of its lectures if lectureID
// is not "", and returns what the actor is to it. Without a course everyone may. Errors:
// [ErrPostNotFound], [study.ErrAccessEnded], [catalog.ErrInvalidLecture], [study.ErrLectureLocked].
func (s *Service) postPlace(
	ctx context.Context, actor core.Actor, courseID, lectureID string,
) (catalog.Caller, catalog.Course, error) {
	if courseID == "" {
		return catalog.Outsider, catalog.Course{}, nil
	}
	access, err := study.AccessOf(ctx, s.store, actor, courseID, s.base.Now())
	caller, course := access.Caller, access.Course
	switch {
	case err != nil:
		return caller, course, err
	case access.HasEnded():
		return caller, course, study.ErrAccessEnded
	case !mayDiscuss(access, ""):
		return caller, course, ErrPostNotFound
	case lectureID == "":
		return caller, course, nil
	}
	lectures, err := s.catalog.LectureIDs(ctx, s.store, map[string]catalog.CourseVersion{
		courseID: {Number: course.Version, UpdatedAt: course.UpdatedAt}})
	if err == nil && !lectures[courseID][lectureID] {
		err = catalog.ErrInvalidLecture
	}
	if err == nil {
		err = access.RequireOpen(lectureID)
	}
	return caller, course, err
}

// mayDiscuss reports whether a caller may read and write the posts of a course, or those of one of
// its lectures if lectureID is not "". Unlike free previews, they are not for outsiders.
func mayDiscuss(access study.Access, lectureID string) bool {
	return access.RequireOpen(lectureID) == nil
}

// changeOfAuthor runs fn in a transaction that inserts a post. The author of a question is locked,
// so that the deletion of the author comes before or after: see endQuestions.
func (s *Service) changeOfAuthor(
	ctx context.Context, p Post, fn func(tx Tx, changes *core.Changes) error,
) error {
	if p.EducatorID == "" {
		return s.base.Change(ctx, fn)
	}
	return s.base.ChangeOfUndeleted(ctx, p.Author.ID, fn)
}

// totals returns what the post adds to the totals: to that of its course and lecture, or of the
// posts in no course, and to that of the questions that wait.
func (p Post) totals() []core.Total {
	totals := []core.Total{
		{Kind: TotalPosts, CourseID: p.CourseID, Part: p.LectureID, Number: 1},
	}
	if p.waits() {
		totals = append(totals,
			core.Total{Kind: TotalWaitingQuestions, CourseID: p.CourseID, Number: 1})
	}
	return totals
}

// PostEdit is the input of [Service.EditPost]. Nil leaves a field as it is.
type PostEdit struct{ Title, Content *string }

// EditPost changes the title and the content of the actor's post, and returns the post. Errors:
// [core.ErrUnauthenticated], [core.ErrInvalidRequest], [ErrPostNotFound], [ErrNotPostAuthor].
func (s *Service) EditPost(
	ctx context.Context, actor core.Actor, id string, edit PostEdit,
) (edited Post, err error) {
	err = s.withLockedPost(ctx, actor, id, func(tx Tx, _ *core.Changes, post Post) error {
		if !post.IsBy(actor) {
			return ErrNotPostAuthor
		}
		// What the edit would make of a new post must be valid.
		n := NewPost{Title: post.Title, Content: post.Content}
		if edit.Title != nil {
			n.Title = *edit.Title
		}
		if edit.Content != nil {
			n.Content = *edit.Content
		}
		if n, err = n.normalized(); err != nil {
			return err
		}
		post.Title, post.Content = n.Title, n.Content
		post.UpdatedAt, post.EditedAt = s.base.Now(), s.base.Now()
		edited = post
		return tx.EditPost(ctx, post)
	})
	return edited, core.Wrap("edit a post", err)
}

// addToGroupPosts adds by to the number of posts of a group. It does nothing if groupID
// is "", for a post in none. Error: [ErrGroupNotFound].
func addToGroupPosts(ctx context.Context, tx Tx, groupID string, by int) error {
	if groupID == "" {
		return nil
	}
	found, err := tx.AddToPostCount(ctx, groupID, by)
	if err == nil && !found {
		return ErrGroupNotFound
	}
	return err
}

// ToggleResolved marks the actor's post as resolved, or as open if it is resolved. It
// reports whether it is resolved now. Errors: [core.ErrUnauthenticated], [ErrPostNotFound],
// [ErrNotPostAuthor].
func (s *Service) ToggleResolved(ctx context.Context, actor core.Actor,
	id string) (resolved bool, err error) {
	err = s.withLockedPost(ctx, actor, id, func(tx Tx, changes *core.Changes, post Post) error {
		if !post.IsBy(actor) {
			return ErrNotPostAuthor
		}
		before := post
		resolved = !post.Resolved
		post.Resolved, post.UpdatedAt = resolved, s.base.Now()
		changes.Count(post.ID, core.TotalsChange(before.totals(), post.totals())...)
		return tx.UpdatePost(ctx, post)
	})
	return resolved, core.Wrap("resolve a post", err)
}

// ToggleAccepted makes a reply the accepted reply of the actor's post, in place of any
// other, and resolves the post. If the reply is the accepted one, it is not accepted
// any more, and the post stays resolved or open. ToggleAccepted returns the changed post.
// Errors: [core.ErrUnauthenticated], [ErrPostNotFound], [ErrNotPostAuthor],
// [ErrReplyNotFound].
func (s *Service) ToggleAccepted(ctx context.Context, actor core.Actor,
	id, replyID string) (changed Post, err error) {
	err = s.withLockedPost(ctx, actor, id, func(tx Tx, changes *core.Changes, post Post) error {
		// Only the author of the post decides, and about a reply to it.
		if !post.IsBy(actor) {
			return ErrNotPostAuthor
		}
		reply, err := findReply(ctx, tx, post, replyID, actor)
		if err != nil {
			return err
		}
		// Accepting resolves the post. Withdrawing leaves it as it is.
		before := post
		if post.AcceptedReplyID == replyID {
			post.AcceptedReplyID = ""
		} else {
			post.AcceptedReplyID, post.Resolved = replyID, true
		}
		post.UpdatedAt = s.base.Now()
		changed = post
		changes.Count(post.ID, core.TotalsChange(before.totals(), post.totals())...)
		if post.AcceptedReplyID == replyID {
			if err := notifyOfReply(ctx, tx, changes, NotifyReplyAccepted, reply.Author.ID, actor,
				post, replyID); err != nil {
				return err
			}
		}
		return tx.UpdatePost(ctx, post)
	})
	return changed, core.Wrap("accept a reply", err)
}

// DeletePost removes a post with its replies and all votes. The actor must be its
// author or an admin. Errors: [core.ErrUnauthenticated], [ErrPostNotFound],
// [ErrNotPostAuthor].
func (s *Service) DeletePost(ctx context.Context, actor core.Actor, id string) error {
	err := s.withLockedPost(ctx, actor, id, func(tx Tx, changes *core.Changes, post Post) error {
		if !post.IsBy(actor) && actor.Role != core.Admin {
			return ErrNotPostAuthor
		}
		if !post.IsBy(actor) {
			changes.Decide(core.Decision{Kind: DecisionPostRemoved, ActorID: actor.UserID,
				UserID:      post.Author.ID,
				DecisionIDs: core.DecisionIDs{CourseID: post.CourseID, PostID: post.ID}})
		}
		return s.removePost(ctx, tx, changes, actor, post)
	})
	return core.Wrap("delete a post", err)
}

// removePost removes a post with its replies and all votes, and closes the complaints about
// them, in the name of actor. The post must be locked.
func (s *Service) removePost(ctx context.Context, tx Tx, changes *core.Changes, actor core.Actor,
	post Post) error {
	changes.Count(post.ID, core.TotalsChange(post.totals(), nil)...)
	const replyID = "" // close the complaints about the post and all its replies
	if err := s.closeComplaints(ctx, tx, changes, actor, post.ID, replyID); err != nil {
		return err
	}
	if err := deletePosts(ctx, tx, post.ID); err != nil {
		return err
	}
	if err := tx.DeletePostNotifications(ctx, post.ID); err != nil {
		return err
	}
	return addToGroupPosts(ctx, tx, post.Group.ID, -1)
}

// postsPerDelete is how many posts one statement deletes.
const postsPerDelete = 32

// deletePosts deletes the votes for posts and for their replies, then the replies, then the posts.
func deletePosts(ctx context.Context, tx Tx, ids ...string) error {
	for _, remove := range []func(context.Context, []string) error{
		tx.DeleteVotes, tx.DeleteReplies, tx.DeletePosts,
	} {
		if err := remove(ctx, ids); err != nil {
			return err
		}
	}
	return nil
}

// deletePostsOf deletes the posts of a course with their replies and votes, and closes the
// complaints about them.
func (s *ForRooms) deletePostsOf(
	ctx context.Context, tx Tx, changes *core.Changes, courseID string,
) error {
	d := ComplaintDecision{Status: ComplaintRemoved, At: s.base.Now()} // with the course, by nobody
	for {
		list, err := tx.PostPositions(ctx, PostQuery{Tab: AllPosts, CourseID: courseID}, nil, 0,
			core.PageRequest{Limit: postsPerDelete})
		if err != nil || len(list) == 0 {
			return err
		}
		ids := make([]string, len(list))
		for i, position := range list {
			ids[i] = position.ID
		}
		// A complaint that is being made holds the lock of its post, so its row is there once the
		// post is deleted.
		if err := deletePosts(ctx, tx, ids...); err != nil {
			return err
		}
		closed, err := tx.ClosePostComplaints(ctx, ids, d)
		if err != nil {
			return err
		}
		changes.Count(courseID, openComplaints(-closed))
	}
}

// withLockedPost runs fn in a transaction that holds the lock of a post, with the post as the actor
// sees it. All changes to the post, to its replies and to their votes take this lock, so that the
// deletion of a post leaves no replies or votes. It stores what fn collects in changes. Errors:
// [core.ErrUnauthenticated], [ErrPostNotFound], those of fn.
func (s *Service) withLockedPost(ctx context.Context, actor core.Actor, id string,
	fn func(tx Tx, changes *core.Changes, post Post) error) error {
	if err := actor.Require(); err != nil {
		return err
	}
	if !text.ValidID(id, text.MaxID) {
		return ErrPostNotFound
	}
	return s.base.Change(ctx, func(tx Tx, changes *core.Changes) error {
		// Lock the post before it is read.
		if err := tx.LockPost(ctx, id); err != nil {
			return err
		}
		post, _, err := findPost(ctx, tx, actor, id, s.base.Now())
		if err != nil {
			return err
		}
		return fn(tx, changes, post)
	})
}

// addPostEvent adds an event of a post. title is that of its course.
func addPostEvent(changes *core.Changes, t core.EventType, p Post, title string) {
	changes.Add(t, "user", p.Author.ID, core.EventData{PostID: p.ID, UserID: p.Author.ID,
		CourseID: p.CourseID, CourseTitle: title, LectureID: p.LectureID})
}
