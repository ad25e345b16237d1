// Package certify is the room of certificates: what a course asks for one and what a student still
// misses, the certificates with their PDFs, their revocation, and the credentials that are signed
// for them, with the lists of the revoked ones.
//
// It uses packages core, file, catalog and study, and reads of quizzes and assignments only which
// are passed. It refuses certificates of courses in which something is missing, and never deletes
// or replaces one. Who revokes a certificate in a transaction of another room does so by
// [ForRooms.Revoke]. It declares the ports of what draws and what signs: [CertificateRenderer] and
// [CredentialIssuer]. Begin reading at [Service], and at certificate_issue.go for how one is
// issued.
package certify
