package certify

import "github.com/openlectern/openlectern/internal/exportlist"

// ExportLists lists the certificates.
func (s *ForRooms) ExportLists() []exportlist.List { return exported }

var exported = []exportlist.List{
	{
		Name:  "certificates",
		Text:  "The certificates, revoked ones included.",
		From:  "{certificates}",
		Owner: "user_id",
		Key:   []exportlist.Field{{Column: "course_id"}},
		Row:   "ExportedCertificate",
		Fields: []exportlist.Field{
			{Name: "certificateId", Column: "id",
				Text: "The id of the certificate, with which anyone can verify it."},
			{Name: "courseId", Column: "course_id"},
			{Name: "studentName", Column: "student_name",
				Text: "The name of the student on the day of issue."},
			{Name: "courseTitle", Column: "course_title"},
			{Name: "educatorName", Column: "educator_name",
				Text: "The name of the educator on the day of issue."},
			{Name: "issuerName", Column: "issuer_name",
				Text: "The name of the platform on the day of issue."},
			{Name: "completionDate", Column: "completed_at", Type: exportlist.Time,
				Text: "When the last lecture was completed."},
			{Name: "issuedAt", Column: "issued_at", Type: exportlist.Time,
				Text: "When it was issued."},
			{Name: "revokedAt", Column: "revoked_at", Type: exportlist.Maybe,
				Text: "When it was revoked. Null if it was not."},
			{Name: "reason", Column: "revocation_reason", Type: exportlist.Nullable,
				Text: "The reason of the revocation. Null if it was not revoked."},
		},
	},
}
