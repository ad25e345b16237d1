package httpapi

import (
	"net/http"
	"slices"
)

// table returns the route table: every route of the API. CONTRIBUTING.md lists the steps of a new
// row ("A new route"); a test fails for each one that is left out. All rows have the same form: who
// may call it, where it is, what the API document says of it, how it fails, what it does.
func table() []Route {
	return slices.Concat(
		// people
		userRoutes(),
		userAdminRoutes(),
		// catalog
		catalogueRoutes(),
		courseRoutes(),
		fileRoutes(),
		uploadRoutes(),
		// study
		enrollmentRoutes(),
		enrollmentAdminRoutes(),
		progressRoutes(),
		timeRoutes(),
		// assess
		quizRoutes(),
		quizEditRoutes(),
		attemptRoutes(),
		assignmentRoutes(),
		submissionRoutes(),
		// certify
		certificateRoutes(),
		credentialRoutes(),
		// bundle
		bundleRoutes(),
		bundleEditRoutes(),
		// sale
		purchaseRoutes(),
		soldRoutes(),
		paymentRoutes(),
		purchaseAdminRoutes(),
		providerRoutes(),
		// papers
		paperRoutes(),
		// community
		groupRoutes(),
		postRoutes(),
		postChangeRoutes(),
		replyRoutes(),
		complaintRoutes(),
		answerRoutes(),
		reviewRoutes(),
		// tutor
		chatRoutes(),
		aiRoutes(),
		// staff
		applicationRoutes(),
		educatorRoutes(),
		adminRoutes(),
		// inbox
		notificationRoutes(),
		announcementRoutes(),
		// exchange
		packageRoutes(),
		// the server itself
		serverRoutes(),
	)
}

// serverRoutes returns the routes that concern no noun.
func serverRoutes() []Route {
	return []Route{
		{ID: "health", Method: http.MethodGet, Access: Public,
			Path:    "/",
			Summary: "Check that the API works",
			Description: "Answers the text `API Working` while the process runs. It does not " +
				"look at the database.",
			Do: raw((*api).health).writing(textContent, nil)},
		{ID: "openapi", Method: http.MethodGet, Access: Public,
			Path:    "/openapi.json",
			Summary: "Describe the API as an OpenAPI document",
			Description: "This document. It is made from the table from which the server routes. " +
				"With its ETag in `If-None-Match` the answer is 304 without a body.",
			Do: raw((*api).serveOpenAPI).writing(jsonContent, documentJSON{}).revalidating()},
		{ID: "docs", Method: http.MethodGet, Access: Public,
			Path:    "/docs",
			Summary: "Show the reference page of the API",
			Description: "A page with this document, on which requests can be tried. Everything " +
				"that it loads comes from this server.",
			Do: raw((*api).serveDocs).writing(htmlContent, nil)},
		{ID: "docs.file", Method: http.MethodGet, Access: Public, undocumented: true,
			Path:    "/docs/:file",
			Summary: "Send a file of the reference page",
			Errors:  []error{errNoDocsFile},
			Do:      raw((*api).serveDocsFile)},
	}
}
