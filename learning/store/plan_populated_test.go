package store

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/aigate"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/study"
	"github.com/openlectern/openlectern/learning/tutor"
)

// statuses are the status of most applications, and those of the others.
var statuses = []people.ApplicationStatus{people.ApplicationApproved,
	people.ApplicationPending}

// eventStatuses are those of deliveries with an even and an odd number.
var eventStatuses = []learning.EventStatus{learning.EventPending, learning.EventDelivered}

// populatedAt is the time of the first rows of populated. Each row is a minute later than the one
// before it.
var populatedAt = time.Now()

// populated returns a store with a few hundred rows in each table, so that engines use indexes. A
// table that it does not know gets rows whose ids are the same as in the other tables.
func populated(tb testing.TB, e enginetest.Engine) *Store {
	tb.Helper()
	s := migrated(tb, e.URL(tb), WithDeadlines(0, 5*time.Minute)) // for the one large transaction
	ctx, now := context.Background(), populatedAt
	err := s.InTx(ctx, func(tx learning.Tx) error {
		for i := range 300 {
			id := fmt.Sprintf("%04d", i)
			at := now.Add(time.Duration(i) * time.Minute)
			p := purchase.Purchase{ID: id, UserID: id, CourseID: id, OrderID: id,
				Status: purchase.Completed, CreatedAt: at, UpdatedAt: at, CompletedAt: at,
				PaymentID: id, Source: id, Reference: id,
				CouponID: id, HoldsCoupon: true}
			if i%10 == 0 {
				p.Status, p.PaymentID = purchase.Pending, ""
			}
			for _, insert := range []func() error{
				func() error {
					return tx.InsertUser(ctx,
						people.User{ID: id, Name: id, Email: id, CreatedAt: at, ChangedAt: at})
				},
				func() error {
					return tx.InsertRole(ctx, id,
						core.RoleAssignment{Role: core.Student, At: at})
				},
				func() error { return tx.InsertAIUsage(ctx, id, id[:3], aigate.Usage{Prompt: 1}) },
				func() error {
					return tx.InsertLease(ctx,
						core.Lease{Name: id, Holder: id, ExpiresAt: at})
				},
				func() error {
					return tx.InsertEvents(ctx,
						[]outbox.Delivery{{Event: outbox.Event{ID: id, Subject: id, CreatedAt: at},
							Target: id, Shard: id,
							Status: eventStatuses[i%2], StatusAt: at}})
				},
				func() error { return tx.InsertTimeDay(ctx, id, at) },
				func() error { return tx.InsertUnusedFile(ctx, id, at) },
				func() error {
					return tx.InsertUpload(ctx, file.Upload{ID: id, OwnerID: id, Size: 1,
						CreatedAt: at, ExpiresAt: at})
				},
				func() error {
					f := file.File{ID: id, OwnerID: id, SHA256: id, StoredName: id, Uses: i % 2,
						CreatedAt: at}
					if f.Uses == 0 {
						f.UnusedSince = at
					}
					return tx.InsertFile(ctx, f)
				},
				func() error {
					err := tx.InsertAssignmentSubmission(ctx, assess.AssignmentSubmission{ID: id,
						Student: core.Person{ID: id}, CourseID: id, LectureID: id, Number: i,
						Status: assess.SubmissionWaiting, SavedAt: at, SubmittedAt: at})
					return errors.Join(err, tx.InsertSubmissionFiles(ctx, id, false, []string{id}))
				},
				func() error {
					return tx.InsertAIReservation(ctx,
						aigate.Reservation{UserID: id, Day: id[:3], Holder: "holder", Tokens: 1,
							LeaseUntil: at})
				},
				func() error {
					return tx.InsertCourse(ctx,
						catalog.Course{ID: id, Title: id, Published: i%3 == 0,
							Educator: core.Person{ID: id}, CreatedAt: at, UpdatedAt: at}, nil)
				},
				func() error {
					return tx.InsertDispute(ctx, refund.Dispute{ID: id, PurchaseID: id,
						ProviderID: id, Currency: "INR", Status: payment.DisputeOpen, CreatedAt: at, UpdatedAt: at})
				},
				func() error {
					return tx.InsertSweep(ctx,
						core.Sweep{Name: id, StartedAt: at, After: core.Position{At: at}})
				},
				func() error {
					return tx.AddToTotals(ctx, id,
						[]core.Total{{Kind: assess.TotalOnTrack, CourseID: id, Part: id,
							Number: 1}})
				},
				func() error { return tx.InsertPurchase(ctx, p) },
				func() error {
					return tx.InsertRefundKey(ctx,
						refund.Key{PurchaseID: id, Key: id, RefundID: id, CreatedAt: at})
				},
				func() error {
					return tx.InsertCoupon(ctx,
						offer.Coupon{ID: id, Code: id, CourseID: id, CreatedAt: at})
				},
				func() error {
					b := bundle.Bundle{ID: id, EducatorID: id, Published: i%10 == 0, CreatedAt: at,
						UpdatedAt: at}
					return errors.Join(tx.InsertBundle(ctx, b),
						tx.InsertBundleCourses(ctx, id, []string{id}))
				},
				func() error {
					r := refund.Refund{ID: id, PurchaseID: id, PaymentID: id, ProviderID: id,
						Status: payment.RefundProcessed, CreatedAt: at, UpdatedAt: at}
					if i%20 == 0 {
						r.Status = payment.RefundPending
					}
					return tx.InsertRefund(ctx, r)
				},
				func() error {
					return tx.InsertLines(ctx, []purchase.Line{{ID: id, PurchaseID: id, Number: 1,
						UserID: id, CourseID: id, CreatedAt: at}})
				},
				func() error {
					return tx.InsertShares(ctx, id, []purchase.Share{{LineID: id, Amount: 1}})
				},
				func() error { return insertPaper(ctx, tx, id, i, at) },
				func() error {
					return tx.InsertApplication(ctx,
						people.Application{ID: id, UserID: id, Status: statuses[i%20/19],
							CreatedAt: at, UpdatedAt: at})
				},
				func() error {
					return tx.InsertCertificate(ctx,
						certify.Certificate{ID: id, UserID: id, CourseID: id, Number: int64(i),
							CompletedAt: at, IssuedAt: at})
				},
				func() error {
					return tx.InsertGroup(ctx,
						community.Group{ID: id, Slug: id, CreatedAt: at, UpdatedAt: at}, id)
				},
				func() error {
					return tx.InsertPost(ctx,
						community.Post{ID: id, Author: core.Person{ID: id},
							Group: community.Group{ID: id}, CreatedAt: at, UpdatedAt: at})
				},
				func() error {
					return tx.InsertReply(ctx,
						community.Reply{ID: id, PostID: id, Author: core.Person{ID: id},
							CreatedAt: at, UpdatedAt: at})
				},
				func() error {
					v := community.Vote{PostID: id, UserID: id, CreatedAt: at}
					ofReply := v
					ofReply.ReplyID = id
					return errors.Join(tx.InsertVote(ctx, v), tx.InsertVote(ctx, ofReply))
				},
				func() error {
					return tx.ReplaceNotifications(ctx, []core.Notification{{ID: id,
						ReaderID: id, Kind: core.NotificationKind(id), Thing: id, ActorID: id,
						CreatedAt: at, NotificationIDs: core.NotificationIDs{CourseID: id,
							PostID: id, ReplyID: id, ReviewID: id}}})
				},
				func() error {
					return tx.InsertDecision(ctx, core.Decision{ID: id,
						Kind: core.DecisionKind(id), ActorID: id, UserID: id, CreatedAt: at,
						Reason:      "Why",
						DecisionIDs: core.DecisionIDs{CourseID: id, ReportID: id}})
				},
				func() error {
					c := community.Complaint{ID: id, PostID: id, ReplyID: id, ReporterID: id,
						CreatedAt: at}
					if err := tx.InsertComplaint(ctx, c); err != nil || i%20 == 0 {
						return err
					}
					_, err := tx.DecideComplaint(ctx, id, community.ComplaintOpen,
						community.ComplaintDecision{Status: community.ComplaintDismissed, By: id,
							At: at})
					return err
				},
				func() error {
					return tx.InsertQuiz(ctx,
						assess.Quiz{ID: id, CourseID: id, ChapterID: id, CreatedAt: at,
							UpdatedAt: at})
				},
				func() error {
					return tx.InsertQuizResult(ctx,
						assess.QuizResult{ID: id, UserID: id, CourseID: id, ChapterID: id,
							CreatedAt: at})
				},
				func() error {
					c := tutor.Chat{ID: id, UserID: id, CreatedAt: at, UpdatedAt: at}
					return errors.Join(tx.InsertChat(ctx, c),
						tx.InsertTurn(ctx, c, 0, tutor.ChatMessage{CreatedAt: at},
							tutor.ChatMessage{CreatedAt: at}))
				},
				func() error {
					e := study.Enrollment{UserID: id, CourseID: id, PurchaseID: id,
						CreatedAt: at}
					if err := tx.InsertEnrollment(ctx, e); err != nil || i%2 == 1 {
						return err
					}
					return tx.InsertPastEnrollment(ctx,
						study.PastEnrollment{ID: id, Enrollment: e, EndedAt: at})
				},
				func() error {
					return tx.InsertTimeEntry(ctx,
						study.TimeEntry{UserID: fmt.Sprintf("%04d", i/20*20), Day: at, Path: id,
							CourseID: id, ChapterID: id})
				},
			} {
				if err := insert(); err != nil {
					return err
				}
			}
		}
		_, err := tx.RevokeCertificate(ctx, "0020", "", now)
		return errors.Join(tx.IncrementCertificates(ctx), err)
	})
	if err != nil {
		tb.Fatal(err)
	}
	for _, table := range enginetest.TableNames(tb, s.db.Writer().DB) {
		var rows int
		if err := s.db.Writer().Get(&rows, "SELECT COUNT(*) FROM "+table); err != nil {
			tb.Fatal(err)
		}
		if rows == 0 {
			enginetest.InsertRows(tb, s.db.Writer().DB, table, 300, now,
				func(_ string, i int) string { return fmt.Sprintf("%04d", i) })
		}
	}
	analyze(tb, s)
	return s
}

// insertPaper adds a receipt, which has a number unless i is a multiple of 20, and is that of a
// deleted user if i is odd; and billing data. Each receipt is of a year of its own.
func insertPaper(ctx context.Context, tx learning.Tx, id string, i int, at time.Time) error {
	p := papers.Paper{ID: id, UserID: id, PurchaseID: id, Kind: papers.Receipt, Cause: id,
		Amount: 1, Currency: "INR", SoldAt: at, CreatedAt: at, TryAt: at,
		Forgotten: papers.Forgotten(i % 2)}
	err := errors.Join(tx.InsertPaper(ctx, p),
		tx.ReplaceBilling(ctx, id, papers.Billing{Name: id, Country: "IN"}, at),
		tx.IncrementPaperNumber(ctx, "R", 2000+i))
	if err != nil || i%20 == 0 {
		return err
	}
	p.Number = papers.Number{Series: "R", Year: 2000 + i, Number: 1}
	p.NumberedAt, p.Tax = at, &papers.Tax{}
	_, err = tx.NumberPaper(ctx, p)
	return err
}
