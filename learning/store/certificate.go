package store

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/certify"
)

type certificateRow struct {
	ID               string    `db:"id"`
	UserID           string    `db:"user_id"`
	CourseID         string    `db:"course_id"`
	Number           int64     `db:"number"`
	StudentName      string    `db:"student_name"`
	CourseTitle      string    `db:"course_title"`
	EducatorName     string    `db:"educator_name"`
	IssuerName       string    `db:"issuer_name"`
	CompletedAt      timestamp `db:"completed_at"`
	IssuedAt         timestamp `db:"issued_at"`
	PDFStoredAt      timestamp `db:"filed_at"`   // zero if no PDF is stored
	RevokedAt        timestamp `db:"revoked_at"` // zero if it is valid
	RevocationReason string    `db:"revocation_reason"`
}

const selectCertificate = `
	SELECT id, user_id, course_id, number, student_name, course_title, educator_name, issuer_name,
		completed_at, issued_at, filed_at, revoked_at, revocation_reason
	FROM {certificates}`

func (r reader) Certificate(ctx context.Context, id string) (certify.Certificate, error) {
	return r.certificate(ctx, "read a certificate", ` WHERE id = ?`, key(id))
}

// CertificateOf reads the certificate of a user for a course: there is one at most.
func (r reader) CertificateOf(
	ctx context.Context, userID, courseID string,
) (certify.Certificate, error) {
	return r.certificate(ctx, "read a user's certificate", ` WHERE user_id = ? AND course_id = ?`,
		key(userID), key(courseID))
}

// certificate reads the certificate that where selects.
func (r reader) certificate(
	ctx context.Context, action, where string, args ...any,
) (certify.Certificate, error) {
	var row certificateRow
	if err := r.q.Get(ctx, action, &row, selectCertificate+where, args...); err != nil {
		return certify.Certificate{}, err
	}
	return row.certificate(), nil
}

// CertificatesOf lists the latest certificates first.
func (r reader) CertificatesOf(ctx context.Context, userID string) ([]certify.Certificate, error) {
	var rows []certificateRow
	err := r.q.List(ctx, "list a user's certificates", &rows,
		selectCertificate+` WHERE user_id = ? ORDER BY issued_at DESC, number DESC`, key(userID))
	if err != nil {
		return nil, err
	}
	list := make([]certify.Certificate, len(rows))
	for i := range rows {
		list[i] = rows[i].certificate()
	}
	return list, nil
}

func (r *certificateRow) certificate() certify.Certificate {
	return certify.Certificate{
		ID:               r.ID,
		UserID:           r.UserID,
		CourseID:         r.CourseID,
		Number:           r.Number,
		StudentName:      r.StudentName,
		CourseTitle:      r.CourseTitle,
		EducatorName:     r.EducatorName,
		IssuerName:       r.IssuerName,
		CompletedAt:      r.CompletedAt.Time(),
		IssuedAt:         r.IssuedAt.Time(),
		PDFStoredAt:      r.PDFStoredAt.Time(),
		RevokedAt:        r.RevokedAt.Time(),
		RevocationReason: r.RevocationReason,
	}
}

// RevokedNumbers lists the numbers of the revoked certificates from one number up to, and without,
// another one.
func (r reader) RevokedNumbers(ctx context.Context, from, to int64) ([]int64, error) {
	var numbers []int64
	err := r.q.List(ctx, "list the revoked numbers", &numbers, `
		SELECT number
		FROM {certificates}
		WHERE is_revoked = 1 AND number >= ? AND number < ?
		ORDER BY number`,
		from, to)
	return numbers, err
}

// RevokedPDFs lists the ids of certificates that were revoked before a time, the first revoked one
// first. It leaves out those of which GiveUpPDF has recorded that the PDF needs no more work.
func (r reader) RevokedPDFs(
	ctx context.Context, before time.Time, limit int,
) (ids []string, err error) {
	err = r.q.List(ctx, "list the PDFs of revoked certificates", &ids, `
		SELECT id
		FROM {certificates}
		WHERE is_revoked = 1 AND pdf_unused = 0 AND revoked_at < ?
		ORDER BY revoked_at, id LIMIT ?`,
		timestamp(before), limit)
	return ids, err
}

// CertificatesIssued reads the counter that IncrementCertificates increments. It returns
// ErrNoRecord before the first certificate.
func (r reader) CertificatesIssued(ctx context.Context) (n int64, err error) {
	err = r.q.Get(ctx, "read how many certificates there are", &n,
		`SELECT counted FROM {counters} WHERE name = 'certificates'`)
	return n, err
}

// IncrementCertificates adds 1 to the counter of certificates, or inserts it with 1.
func (t *tx) IncrementCertificates(ctx context.Context) error {
	_, err := t.Exec(ctx, "count a certificate", `
		INSERT INTO {counters} (name, counted)
		VALUES ('certificates', 1)`+
		t.Dialect().AddToRow("counters", []string{"name"}, []string{"counted"}))
	return err
}

// InsertCertificate returns ErrDuplicate if the user has a certificate for the course.
func (t *tx) InsertCertificate(ctx context.Context, c certify.Certificate) error {
	return t.Insert(ctx, "insert a certificate", `
		INSERT INTO {certificates} (id, user_id, course_id, number, student_name, course_title,
			educator_name, issuer_name, completed_at, issued_at, filed_at, is_revoked, revoked_at,
			revocation_reason)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, NULL, '')`,
		key(c.ID), key(c.UserID), key(c.CourseID), c.Number, c.StudentName, c.CourseTitle,
		c.EducatorName, c.IssuerName, timestamp(c.CompletedAt),
		timestamp(c.IssuedAt), optional(c.PDFStoredAt))
}

// SetPDFStored records when the PDF was stored, and that it is not given up: see GiveUpPDF. It
// changes nothing, and returns false, if a time is recorded already.
func (t *tx) SetPDFStored(ctx context.Context, id string, at time.Time) (bool, error) {
	return t.Update(ctx, "record that a PDF is stored",
		`UPDATE {certificates} SET filed_at = ?, pdf_unused = 0 WHERE id = ? AND filed_at IS NULL`,
		timestamp(at), key(id))
}

// GiveUpPDF records that the PDF of a revoked certificate needs no more work: it is not stored, or
// is in the list of unused files. It returns false if that is recorded already.
func (t *tx) GiveUpPDF(ctx context.Context, id string) (bool, error) {
	return t.Update(ctx, "give up a PDF", `
		UPDATE {certificates} SET filed_at = NULL, pdf_unused = 1
		WHERE id = ? AND is_revoked = 1 AND pdf_unused = 0`,
		key(id))
}

// ClearCertificatePDF changes nothing, and returns false, unless the certificate is revoked and its
// PDF stored.
func (t *tx) ClearCertificatePDF(ctx context.Context, id string) (bool, error) {
	return t.Update(ctx, "record that a PDF is removed", `
		UPDATE {certificates} SET filed_at = NULL
		WHERE id = ? AND is_revoked = 1 AND filed_at IS NOT NULL`,
		key(id))
}

// RevokeCertificate changes nothing, and returns false, if the certificate is revoked already.
func (t *tx) RevokeCertificate(ctx context.Context, id, reason string, at time.Time) (bool, error) {
	return t.Update(ctx, "revoke a certificate", `
		UPDATE {certificates} SET is_revoked = 1, revoked_at = ?, revocation_reason = ?
		WHERE id = ? AND is_revoked = 0`,
		timestamp(at), reason, key(id))
}
