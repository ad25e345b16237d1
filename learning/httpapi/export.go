package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning"
)

// exportAnswer describes an export in the API document. [encodeExport] writes it.
type exportAnswer struct {
	_ struct{} `doc:"Everything that the platform stores about the caller."`

	At                instant                      `json:"exportedAt" doc:"When the export began. Later changes may be in it."`
	User              *exportedUserJSON            `json:"user" jsonschema:"nullable" doc:"The caller's record. Null if it has not arrived from the identity provider."`
	Role              *exportedRoleJSON            `json:"role" jsonschema:"nullable" doc:"The role that the platform has stored. Null if the role is that of the token."`
	Application       *exportedApplicationJSON     `json:"application" jsonschema:"nullable" doc:"The caller's application to become an educator. Null if there is none."`
	Purchases         []exportedPurchaseJSON       `json:"purchases"`
	Refunds           []exportedRefundJSON         `json:"refunds" doc:"The refunds of these purchases."`
	Enrollments       []exportedEnrollmentJSON     `json:"enrollments" doc:"The courses in which the caller is enrolled."`
	PastEnrollments   []exportedPastEnrollmentJSON `json:"pastEnrollments" doc:"The enrolments that ended."`
	CompletedLectures []exportedLectureJSON        `json:"completedLectures" doc:"The completed lectures, also those that the courses have no more."`
	CompletedCourses  []exportedCompletionJSON     `json:"completedCourses" doc:"The courses whose completion was recorded for an event."`
	Ratings           []exportedRatingJSON         `json:"ratings"`
	TimeEntries       []exportedTimeJSON           `json:"timeEntries" doc:"The time spent, by page, path and UTC day."`
	QuizResults       []exportedQuizResultJSON     `json:"quizResults" doc:"The attempts at quizzes, the oldest first."`
	Certificates      []exportedCertificateJSON    `json:"certificates" doc:"The certificates, revoked ones included."`
	Chats             []exportedChatJSON           `json:"chats" doc:"The chats with the tutor."`
	ChatMessages      []exportedMessageJSON        `json:"chatMessages" doc:"The messages of all chats, by chat, in their order."`
	Memberships       []exportedMembershipJSON     `json:"memberships" doc:"The groups of which the caller is a member."`
	Posts             []exportedPostJSON           `json:"posts"`
	Replies           []exportedReplyJSON          `json:"replies"`
	Votes             []exportedVoteJSON           `json:"votes" doc:"The upvotes of the caller."`
	Complaints        []exportedComplaintJSON      `json:"reports" doc:"What the caller has reported."`
	AIUsage           []exportedAIUsageJSON        `json:"aiUsage" doc:"The tokens of the AI that the caller has used, by UTC day."`
	Courses           []exportedCourseJSON         `json:"courses" doc:"The courses that the caller teaches, drafts included, the oldest first."`
}

// encodeExport encodes an export. It flushes all but the last part.
func encodeExport(c *call, out *web.PartWriter, e *learning.Export) error {
	head, err := web.Success(headOf(e))
	if err != nil {
		return err
	}
	out.Write(bytes.TrimSuffix(head, []byte("}")))
	x := &exportEncoder{call: c, out: out}
	writePart(x, "purchases", e.Purchases, exportedPurchase)
	writePart(x, "refunds", e.Refunds, exportedRefund)
	writePart(x, "enrollments", e.Enrollments, exportedEnrollment)
	writePart(x, "pastEnrollments", e.PastEnrollments, exportedPastEnrollment)
	writePart(x, "completedLectures", e.CompletedLectures, exportedLecture)
	writePart(x, "completedCourses", e.CompletedCourses, exportedCompletion)
	writePart(x, "ratings", e.Ratings, exportedRating)
	writePart(x, "timeEntries", e.TimeEntries, exportedTime)
	writePart(x, "quizResults", e.QuizResults, exportedQuizResult)
	writePart(x, "certificates", e.Certificates, exportedCertificate)
	writePart(x, "chats", e.Chats, exportedChat)
	writePart(x, "chatMessages", e.ChatMessages, exportedMessage)
	writePart(x, "memberships", e.Memberships, exportedMembership)
	writePart(x, "posts", e.Posts, exportedPost)
	writePart(x, "replies", e.Replies, exportedReply)
	writePart(x, "votes", e.Votes, exportedVote)
	writePart(x, "reports", e.Complaints, exportedComplaint)
	writePart(x, "aiUsage", e.AIUsage, exportedAIUsage)
	writePart(x, "courses", e.Courses, exportedCourse)
	if x.err == nil {
		x.err = e.Check(c.Context())
	}
	out.WriteByte('}')
	return x.err
}

// exportEncoder holds the first error, after which no more lists are read.
type exportEncoder struct {
	call *call
	out  *web.PartWriter
	err  error
}

// writePart encodes a field of an export with the rows of a list.
func writePart[Row, JSON any](x *exportEncoder, field string, list *learning.List[Row], shape func(Row) JSON) {
	if x.err != nil {
		return
	}
	fmt.Fprintf(x.out, ",%q:", field)
	_, x.err = encodeRows(x.call, x.out, list, func(row Row) any { return shape(row) })
}

// exportUser answers the caller's export as a download. A failure after the answer has begun
// breaks the connection, so that the client sees that the document is not whole.
func (a *api) exportUser(w http.ResponseWriter, c *call) error {
	export, err := a.platform.Export(c.Context(), c.actor)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", `attachment; filename="personal-data.json"`)
	out := web.NewPartWriter(w, &c.Call, 0)
	err = out.Finish(encodeExport(c, out, export))
	if err != nil {
		w.Header().Del("Content-Disposition")
	}
	if errors.Is(err, learning.ErrUserNotFound) { // deleted while it was read
		return learning.ErrUnauthenticated
	}
	return err
}

// WriteExport writes an export to w as GET /api/user/export answers it, for commands of a host.
// If it returns an error, what was written is not whole. It returns
// [learning.ErrUserNotFound] if the user is deleted during the call.
func WriteExport(ctx context.Context, w io.Writer, e *learning.Export) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	if err != nil {
		return fmt.Errorf("write an export: %w", err)
	}
	c := &call{Call: web.Call{Request: r, Server: &web.Server{Answers: web.NewAnswerMemory(web.AnswerBytes)}}}
	c.Caller = c
	out := web.NewPlainPartWriter(bodyWriter{w}, &c.Call)
	if err := encodeExport(c, out, e); err != nil {
		return err
	}
	return out.Flush()
}

// bodyWriter is a writer of answers without a header.
type bodyWriter struct{ io.Writer }

// Header returns an empty header.
func (bodyWriter) Header() http.Header { return http.Header{} }

// WriteHeader does nothing.
func (bodyWriter) WriteHeader(int) {}
