package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/certify"
)

type certificateCheckAnswer struct {
	Eligible bool              `json:"eligible" doc:"Whether nothing is missing."`
	Exists   bool              `json:"certificateExists" doc:"Whether the certificate has been created."`
	Revoked  bool              `json:"isRevoked" doc:"Whether the certificate was revoked. Then it has no PDF."`
	Missing  []missingPartJSON `json:"missing" doc:"What the course asks now and the caller has not done, in the order of the course."`
}

// missingPartJSON is a part of a course that a certificate asks.
type missingPartJSON struct {
	_ struct{} `doc:"A part of a course that the certificate asks and the caller has not done."`

	Kind      certify.MissingKind `json:"kind" jsonschema:"enum=lecture,enum=quiz,enum=assignment" doc:"'lecture' is not completed, 'quiz' not passed, 'assignment' not graded."`
	ChapterID string              `json:"chapterId,omitempty" doc:"Of 'quiz'."`
	LectureID string              `json:"lectureId,omitempty" doc:"Of 'lecture' and 'assignment'."`
	Title     string              `json:"title" doc:"The title of the lecture or the chapter."`
}

// checkCertificate answers whether the caller has earned the certificate of a course, and whether
// it exists. If there is an error, the answer is not sent.
func (a *api) checkCertificate(c *call, _ none) (certificateCheckAnswer, error) {
	state, err := a.platform.Certify.CheckCertificate(c.Context(), c.actor, c.Param("courseId"))
	answer := certificateCheckAnswer{Eligible: state.Earned, Exists: state.Exists,
		Revoked: state.Revoked, Missing: make([]missingPartJSON, len(state.Missing))}
	for i, part := range state.Missing {
		answer.Missing[i] = missingPartJSON{Kind: part.Kind, ChapterID: part.ChapterID,
			LectureID: part.LectureID, Title: part.Title}
	}
	return answer, err
}

type generateCertificateAnswer struct {
	Created bool   `json:"created" doc:"Whether this request created it."`
	Message string `json:"message"`
	PDFURL  string `json:"pdfUrl" doc:"The URL of the certificate as PDF."`
}

// generateCertificate creates the caller's certificate, or answers the existing one; the message
// says which.
func (a *api) generateCertificate(c *call, _ none) (generateCertificateAnswer, error) {
	issued, err := a.platform.Certify.GenerateCertificate(c.Context(), c.actor, c.Param("courseId"))
	if err != nil {
		return generateCertificateAnswer{}, err
	}
	message := "Certificate already exists"
	if issued.IsNew {
		message = "Certificate generated successfully"
	}
	return generateCertificateAnswer{
		Created: issued.IsNew,
		Message: message,
		PDFURL:  a.platform.Files.MediaURL(issued.File()),
	}, nil
}

type ownCertificateAnswer struct {
	Message string `json:"message"`
	PDFURL  string `json:"pdfUrl" doc:"The URL of the certificate as PDF."`
}

// ownCertificate answers the URL of the caller's certificate of a course.
func (a *api) ownCertificate(c *call, _ none) (ownCertificateAnswer, error) {
	certificate, err := a.platform.Certify.Certificate(c.Context(), c.actor, c.Param("courseId"))
	if err != nil {
		return ownCertificateAnswer{}, err
	}
	return ownCertificateAnswer{"Certificate fetched successfully",
		a.platform.Files.MediaURL(certificate.File())}, nil
}

type certificatesAnswer struct {
	Certificates []ownedCertificateJSON `json:"certificates" doc:"The newest first."`
}

// ownedCertificateJSON is a certificate in the list of its student.
type ownedCertificateJSON struct {
	ID            string  `json:"certificateId" doc:"The id of the certificate, as it is printed."`
	CourseID      string  `json:"courseId"`
	Course        string  `json:"courseTitle" doc:"The title of the course on the day of issue."`
	IssuedAt      instant `json:"issuedAt" doc:"When the certificate was created."`
	PDFURL        *string `json:"pdfUrl" jsonschema:"nullable" doc:"The URL of the PDF. Null if the certificate was revoked, or while the PDF is not stored."`
	VerifyURL     *string `json:"verifyUrl" jsonschema:"nullable" doc:"The URL that anyone may open to verify the certificate. Null if certificates are not configured."`
	CredentialURL *string `json:"credentialUrl" jsonschema:"nullable" doc:"The URL of the certificate as an Open Badges 3.0 credential. Null if credentials are not configured."`
	Revoked       bool    `json:"isRevoked" doc:"Whether the certificate was revoked."`
}

// ownCertificates answers the caller's certificates. A URL that a certificate lacks is null. If
// there is an error, the answer is not sent.
func (a *api) ownCertificates(c *call, _ none) (certificatesAnswer, error) {
	list, err := a.platform.Certify.Certificates(c.Context(), c.actor)
	answer := certificatesAnswer{make([]ownedCertificateJSON, 0, len(list))}
	for _, one := range list {
		urls := a.platform.Certify.CertificateURLs(one)
		answer.Certificates = append(answer.Certificates, ownedCertificateJSON{
			ID:            one.ID,
			CourseID:      one.CourseID,
			Course:        one.CourseTitle,
			IssuedAt:      instant(one.IssuedAt),
			PDFURL:        nullable(urls.PDF),
			VerifyURL:     nullable(urls.Verify),
			CredentialURL: nullable(urls.Credential),
			Revoked:       one.Revoked(),
		})
	}
	return answer, err
}

// certificateJSON holds everything that is printed, so that a forged print is noticed.
type certificateJSON struct {
	ID          string  `json:"certificateId" doc:"The id of the certificate, as it is printed."`
	Student     string  `json:"studentName" doc:"The student's name on the day of issue."`
	Course      string  `json:"courseTitle" doc:"The title of the course on the day of issue."`
	Educator    string  `json:"educatorName" doc:"The educator's name on the day of issue."`
	Issuer      string  `json:"issuerName" doc:"The name of the school on the day of issue."`
	CompletedAt instant `json:"completionDate" doc:"When the student completed the course."`
	IssuedAt    instant `json:"issuedAt" doc:"When the certificate was created."`
}

type verifyCertificateAnswer struct {
	_ struct{} `doc:"A certificate of the school, for everyone who wants to verify it."`

	Valid bool `json:"valid" doc:"Whether the certificate is valid. False if it was revoked."`
	// only of a revoked certificate, as RevokedAt
	Reason      string          `json:"reason,omitempty" doc:"Why the certificate was revoked. Only a revoked one has it, and only if a reason was given."`
	RevokedAt   *instant        `json:"revokedAt,omitempty" doc:"Only of a revoked certificate."`
	Certificate certificateJSON `json:"certificate" doc:"Everything that is printed on the certificate. Compare it with the print: a difference is a forgery."`
}

// unknownCertificate is the answer of verification for an unknown id.
type unknownCertificate struct {
	_ struct{} `doc:"The school has issued no certificate with this id."`

	Success no     `json:"success" doc:"Always false."`
	Valid   no     `json:"valid" doc:"Always false."`
	Message string `json:"message"`
}

// errUnknownCertificate has the message of the platform's error.
var errUnknownCertificate = &web.Failure{Status: http.StatusNotFound,
	Message: certify.ErrCertificateNotFound.Message, Code: certify.ErrCertificateNotFound.Code}

// verifyCertificate answers JSON, or a page to browsers, because phones scan the QR code of a
// certificate, or a problem for an unknown id. The answer must not be cached: it can change at any
// time, and it names a person.
func (a *api) verifyCertificate(w http.ResponseWriter, c *call) error {
	h := w.Header()
	h.Add("Vary", "Accept")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
	// An unknown id is an answer too: as a page, or as JSON with a body of its own.
	certificate, err := a.platform.Certify.VerifyCertificate(c.Context(), c.Param("certificateId"))
	known := !errors.Is(err, certify.ErrCertificateNotFound)
	switch {
	case known && err != nil: // another failure
		return err
	case !known && web.WantsProblem(c.Request):
		return errUnknownCertificate
	case web.PrefersHTML(c.Header.Values("Accept")):
		return writeCertificatePage(w, certificate, known)
	case !known:
		return refuseCertificate(w)
	default:
		return c.writeSuccess(w, verified(certificate))
	}
}

// verified returns the answer about a certificate that exists. That of a revoked one says why and
// when.
func verified(c certify.Certificate) verifyCertificateAnswer {
	answer := verifyCertificateAnswer{Valid: !c.Revoked(), Certificate: certificateJSON{
		ID:          c.ID,
		Student:     c.StudentName,
		Course:      c.CourseTitle,
		Educator:    c.EducatorName,
		Issuer:      c.IssuerName,
		CompletedAt: instant(c.CompletedAt),
		IssuedAt:    instant(c.IssuedAt),
	}}
	if c.Revoked() {
		answer.Reason, answer.RevokedAt = c.RevocationReason, new(instant(c.RevokedAt))
	}
	return answer
}

// refuseCertificate answers that the school has issued no such certificate, as JSON.
func refuseCertificate(w http.ResponseWriter) error {
	body, err := json.Marshal(unknownCertificate{Message: errUnknownCertificate.Message})
	if err != nil {
		return fmt.Errorf("encode a refusal: %w", err)
	}
	web.WriteJSON(w, errUnknownCertificate.Status, body)
	return nil
}
