package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/study"
)

// certificateRoutes returns the routes of certificates.
func certificateRoutes() []Route {
	return []Route{
		{ID: "certificate.verify", Method: http.MethodGet, Access: Public,
			Path:    "/api/certificate/verify/:certificateId",
			Summary: "Verify a certificate: as JSON, or as a page for browsers",
			Description: "Shows everything that is printed on the certificate, so that an edited " +
				"page is noticed. A revoked certificate has `valid: false`, `reason` and " +
				"`revokedAt`. A browser, whose `Accept` prefers `text/html`, gets a page, " +
				"because phones scan the QR code.",
			Errors: []error{errUnknownCertificate},
			Do: raw((*api).verifyCertificate).answering(verifyCertificateAnswer{}).
				writing(htmlContent, nil)},
		{ID: "certificate.list", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/certificates",
			Summary: "List the caller's certificates",
			Description: "The newest first, revoked ones included. `pdfUrl` is null for a " +
				"revoked certificate, and while the PDF is not stored: `GET " +
				"/api/user/certificate/{courseId}` stores it.",
			Do: do((*api).ownCertificates)},
		{ID: "certificate.check", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/certificate/check/:courseId",
			Summary: "Check whether the caller has completed a course, and has a certificate",
			Description: "`eligible` is true when every lecture that the course has now is " +
				"completed. The caller must be enrolled.",
			Errors: []error{catalog.ErrCourseNotFound, study.ErrNotPurchased},
			Do:     do((*api).checkCertificate)},
		{ID: "certificate.generate", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/user/certificate/generate/:courseId",
			Summary: "Create the caller's certificate, or return the existing one",
			Description: "There is one certificate for each user and course, however often this " +
				"is called. A repeated call answers the existing one with `created: false`. " +
				"Name, title and educator stay as they were on the day of issue.",
			Errors: append([]error{certify.ErrCertificateNotEarned, study.ErrAccessEnded},
				certificateErrors...),
			Do: do((*api).generateCertificate)},
		{ID: "certificate.get", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/certificate/:courseId",
			Summary: "Show the caller's certificate and its URL",
			Description: "`pdfUrl` is where the PDF is. A PDF that is missing is drawn again " +
				"from the record.",
			Errors: append([]error{certify.ErrCertificateNotGenerated}, certificateErrors...),
			Do:     do((*api).ownCertificate)},
	}
}

// credentialRoutes returns the routes of credentials.
func credentialRoutes() []Route {
	return []Route{
		{ID: "credential.get", Method: http.MethodGet, Access: Public, AnyOrigin: true,
			Path:    "/api/certificate/credential/:certificateId",
			alias:   "/api/certificate/:certificateId/credential",
			Summary: "Show a certificate as an Open Badges 3.0 credential, a JWT",
			Description: "The certificate as an Open Badges 3.0 credential, a signed JWT. A " +
				"revoked one stays readable; the status list says that it was revoked. The pages " +
				"of every origin may read it. The older path " +
				"`/api/certificate/{certificateId}/credential`, which is the `id` of the " +
				"credential, answers the same.",
			Errors: []error{certify.ErrCertificateNotFound,
				certify.ErrCredentialsNotConfigured},
			Do: raw((*api).credential).writing(jwtContent, nil)},
		{ID: "credential.status", Method: http.MethodGet, Access: Public, AnyOrigin: true,
			Path:    "/api/certificate/status/:list",
			Summary: "Show which credentials were revoked, as a Bitstring Status List, a JWT",
			Description: "The Bitstring Status List that the credentials refer to, a signed JWT. " +
				"A revocation is in it within a minute. The pages of every origin may read it.",
			Errors: []error{certify.ErrStatusListNotFound, certify.ErrCredentialsNotConfigured},
			Do:     raw((*api).statusList).writing(jwtContent, nil)},
		{ID: "credential.key", Method: http.MethodGet, Access: Public, AnyOrigin: true,
			Path:    "/api/certificate/key/:keyId",
			Summary: "Show a public key that verifies credentials, as a JSON Web Key",
			Description: "One public key as a JSON Web Key. Its URL is the `kid` of the " +
				"credentials that were signed with it. Retired keys stay. The pages of every " +
				"origin may read it.",
			Errors: []error{certify.ErrPublicKeyNotFound, certify.ErrCredentialsNotConfigured},
			Do:     raw((*api).publicKey).writing(jsonContent, publicKeyJSON{})},
		{ID: "credential.keys", Method: http.MethodGet, Access: Public, AnyOrigin: true,
			Path:    "/.well-known/jwks.json",
			Summary: "Show the public keys that verify credentials, as a JSON Web Key Set",
			Description: "The current public key and the retired ones as a JSON Web Key Set. The " +
				"pages of every origin may read it.",
			Errors: []error{certify.ErrCredentialsNotConfigured},
			Do:     raw((*api).publicKeys).writing(jsonContent, publicKeysJSON{})},
	}
}

// certificateErrors are the failures of routes that answer a certificate.
var certificateErrors = []error{catalog.ErrCourseNotFound, study.ErrNotPurchased,
	certify.ErrCertificateRevoked, certify.ErrCertificatesNotConfigured,
	file.ErrNoSpace, file.ErrMediaNotConfigured}
