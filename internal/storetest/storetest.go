// Package storetest is the conformance suite of [learning.Store]. It is the same for every
// engine, and includes the order of lists, the precision of times and the results of races.
//
//	func TestConformance(t *testing.T) {
//		storetest.Run(t, func(tb testing.TB) learning.Store { return openStore(tb) })
//	}
package storetest

import (
	"testing"

	"github.com/openlectern/openlectern/learning"
)

// Run runs the suite. open returns an empty store with its tables, and closes it when
// the test ends.
func Run(t *testing.T, open func(tb testing.TB) learning.Store) {
	suites := []struct {
		name  string
		tests []test
	}{
		{"Course", courseTests},
		{"CoursePage", coursePageTests},
		{"Search", searchTests},
		{"User", userTests},
		{"Purchase", purchaseTests},
		{"Coupon", couponTests},
		{"Bundle", bundleTests},
		{"PurchaseLine", lineTests},
		{"File", fileTests},
		{"Upload", uploadTests},
		{"Refund", refundTests},
		{"Paper", paperTests},
		{"PurchaseReport", purchaseReportTests},
		{"Enrollment", enrollmentTests},
		{"Position", positionTests},
		{"Note", noteTests},
		{"Assignment", assignmentTests},
		{"Progress", progressTests},
		{"Import", importTests},
		{"Rating", ratingTests},
		{"Question", questionTests},
		{"Review", reviewTests},
		{"Application", applicationTests},
		{"Certificate", certificateTests},
		{"TimeEntry", timeEntryTests},
		{"Quiz", quizTests},
		{"QuizResult", quizResultTests},
		{"QuizAttempt", quizAttemptTests},
		{"ExtraAttempts", extraAttemptTests},
		{"Chat", chatTests},
		{"Educator", educatorTests},
		{"Decision", decisionTests},
		{"Admin", adminTests},
		{"AI", aiTests},
		{"Lease", leaseTests},
		{"Sweep", sweepTests},
		{"Total", totalTests},
		{"Event", eventTests},
		{"Group", groupTests},
		{"Post", postTests},
		{"Reply", replyTests},
		{"Vote", voteTests},
		{"Complaint", complaintTests},
		{"Notification", notificationTests},
		{"Announcement", announcementTests},
		{"Export", exportTests},
		{"Each", eachTests},
		{"Transaction", transactionTests},
		{"Concurrency", concurrencyTests},
	}
	for _, s := range suites {
		t.Run(s.name, func(t *testing.T) {
			for _, test := range s.tests {
				t.Run(test.name, func(t *testing.T) {
					if !alone[s.name] {
						t.Parallel()
					}
					test.run(t, &fixture{t: t, Store: open(t)}) // an empty store for each test
				})
			}
		})
	}
}

// alone names the suites whose tests run one after the other, because each of them is many
// transactions at the same time.
var alone = map[string]bool{"Transaction": true, "Concurrency": true}

// test is one behaviour, which name describes. run checks it on the empty store of f.
type test struct {
	name string
	run  func(t *testing.T, f *fixture)
}
