package catalog

// Terms are the terms of a course.
type Terms struct {
	Certificate CertificateTerms
}

// CertificateTerms say what a certificate asks beside all lectures.
type CertificateTerms struct {
	Quizzes     bool // all quizzes that are written by hand are passed
	Assignments bool // all assignments are graded
}
