package inbox

import (
	"slices"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/due"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

// NotifyAnnouncement tells a student of an announcement in a course. No earlier room writes it.
const NotifyAnnouncement core.NotificationKind = "announcement"

// kinds are all kinds of notifications, in the order of docs/api.md.
var kinds = []core.NotificationKind{
	community.NotifyReplyCreated,
	community.NotifyReplyAccepted,
	assess.NotifyAssignmentGraded,
	assess.NotifyAssignmentReturned,
	due.NotifyAssignmentDue,
	assess.NotifyQuizRemarked,
	community.NotifyReviewAnswered,
	NotifyAnnouncement,
	certify.NotifyCertificateIssued,
	certify.NotifyCertificateRevoked,
	refund.NotifyRefunded,
	study.NotifyEnrollmentGranted,
	study.NotifyEnrollmentExpiring,
	staff.NotifyApplicationApproved,
	staff.NotifyApplicationRejected,
	community.NotifyReportDecided,
	community.NotifyQuestionCreated,
	assess.NotifyAssignmentSubmitted,
	community.NotifyReviewCreated,
}

// Kinds returns all kinds of notifications.
func Kinds() []core.NotificationKind { return slices.Clone(kinds) }
