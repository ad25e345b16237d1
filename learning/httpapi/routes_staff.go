package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

// applicationRoutes returns the routes of applications.
func applicationRoutes() []Route {
	return []Route{
		{ID: "application.apply", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/educator/apply",
			Summary: "Apply to become an educator, or apply again after a rejection",
			Description: "After a rejection it replaces title, bio and expertise, and " +
				"`linkedinUrl` when it is sent; the id and the time of creation stay. A " +
				"`linkedinUrl` without a scheme gets `https://`.",
			Errors: []error{staff.ErrApplicationPending, staff.ErrApplicationApproved},
			Do:     do((*api).apply)},
		{ID: "application.status", Method: http.MethodGet, Access: SignedIn,
			Path:        "/api/educator/application-status",
			Summary:     "Show the caller's own application",
			Description: "`application` is null if the caller has not applied.",
			Do:          do((*api).applicationStatus)},
		{ID: "admin.applications", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:        "/api/admin/educator-applications",
			Summary:     "List the applications, of one status or all",
			Description: "The newest first.",
			query: pages(parameter{
				name: "status",
				text: "Only the applications of this status.",
				schema: texts(string(people.ApplicationPending),
					string(people.ApplicationApproved), string(people.ApplicationRejected)),
			}),
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).listApplications).answering(applicationsAnswer{})},
		{ID: "admin.approve", Method: http.MethodPatch, Access: Admins, Limit: AdminLimit,
			agents:  withAllTools,
			Path:    "/api/admin/educator-applications/:id/approve",
			Summary: "Approve an application and grant the role educator",
			Description: "The role is written at the identity provider and holds at once, with " +
				"tokens that were issued before. If the provider fails, the application stays " +
				"pending. No admin decides on an application of their own.",
			Errors: reviewErrors,
			Do:     do((*api).approveApplication)},
		{ID: "admin.reject", Method: http.MethodPatch, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/educator-applications/:id/reject",
			Summary: "Reject an application",
			Description: "The applicant may read `reason`, and apply again. No admin decides on " +
				"an application of their own.",
			Errors: reviewErrors,
			Do:     do((*api).rejectApplication)},
	}
}

// educatorRoutes returns the routes of figures for educators.
func educatorRoutes() []Route {
	return []Route{
		{ID: "educator.courses", Method: http.MethodGet, Access: Educators,
			Path:        "/api/educator/courses",
			Summary:     "List the caller's own courses, drafts included",
			Description: "Drafts included, the newest first.",
			query:       pages(),
			Errors:      []error{core.ErrInvalidRequest},
			Do:          raw((*api).taughtCourses).answering(taughtCoursesAnswer{})},
		{ID: "educator.student", Method: http.MethodGet, Access: SignedIn,
			Path: "/api/educator/courses/:courseId/students/:userId",
			Summary: "Show the progress of a student in a course, for the educator of the course " +
				"and admins",
			Description: "A user who is not enrolled, also one whose enrolment has ended, is 404.",
			Errors:      append([]error{study.ErrEnrollmentNotFound}, editErrors...),
			Do:          do((*api).studentProgress)},
		{ID: "educator.dashboard", Method: http.MethodGet, Access: Educators,
			Path:    "/api/educator/dashboard",
			Summary: "Show totals of the caller's own courses",
			Description: "What completed purchases of the caller's own courses earned less " +
				"refunds, in the configured currency, and who is enrolled.",
			Do: raw((*api).dashboard).answering(dashboardAnswer{})},
		{ID: studentList, Method: http.MethodGet, Access: Educators,
			Path:    "/api/educator/enrolled-students",
			Summary: "List the students of the caller's own courses, or of one of them",
			Description: "The oldest enrolment first. With `courseId` the answer is a page, and takes " +
				"`q` and `sort`. A page of a search reads a bounded number of enrolments: it may " +
				"have few or none and a `nextCursor`, with which the search goes on. With " +
				"`format=csv` the answer is a file, which takes no `q` and no `sort`.",
			query:  pages(studentParameters()...),
			Errors: []error{core.ErrInvalidRequest, catalog.ErrCourseNotFound},
			Do: raw((*api).taughtStudents).answering(taughtStudentsAnswer{}).searching().
				writing(csvContent, nil)},
	}
}

// adminRoutes returns the routes of figures for admins.
func adminRoutes() []Route {
	return []Route{
		{ID: "admin.stats", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/stats",
			Summary: "Show totals of the platform",
			Description: "Students are all user records. Revenue is what was paid for completed " +
				"purchases less what was refunded, in the configured currency.",
			Do: do((*api).stats)},
		{ID: "admin.charts", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/chart-data",
			Summary: "Show the top courses and the last week's revenue",
			Description: "At most six courses, the most enrolments first; titles are cut to 22 " +
				"characters. The revenue of seven UTC days, the oldest first; a refund reduces " +
				"the revenue of the day of its purchase.",
			Do: do((*api).charts)},
		{ID: "admin.courses", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/courses",
			Summary: "List all courses with their revenue",
			Description: "Drafts included, the newest first, with the number of completed " +
				"purchases and what they earned less refunds.",
			query:  pages(),
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).courseReports).answering(courseReportsAnswer{})},
		{ID: "admin.user", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path: "/api/admin/users/:userId",
			Summary: "Show a user with the application, the enrolments, the purchases and the " +
				"decisions of staff",
			Description: "The last 20 of each list; the lists of the administration have all, with " +
				"`userId`. A deleted user is shown as `Deleted user`.",
			Errors: []error{people.ErrUserNotFound},
			Do:     do((*api).userDetail)},
		{ID: "admin.decisions", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/decisions",
			Summary: "List what staff has decided, about one user, in one course or in all",
			Description: "The newest first, in pages: refunds, enrolments by hand, their changes and " +
				"ends, applications, admins, removals and decided reports, and sales by hand, with " +
				"who has decided, when and why. A decision stays for good; its reason goes with " +
				"the user and with the course.",
			query: paged(
				parameter{
					name:   "userId",
					text:   "Only the decisions that concern this user. An unknown user has none.",
					schema: map[string]any{"type": "string"},
				},
				parameter{
					name:   "courseId",
					text:   "Only the decisions about this course. An unknown course has none.",
					schema: map[string]any{"type": "string"},
				}),
			Errors: []error{core.ErrInvalidRequest},
			Do:     do((*api).decisions)},
	}
}

// reviewErrors are the failures of a decision on an application.
var reviewErrors = []error{staff.ErrApplicationNotFound, staff.ErrAlreadyApproved,
	staff.ErrAlreadyRejected, staff.ErrBeingReviewed, staff.ErrOwnApplication,
	people.ErrRolesNotConfigured}

// purchaseAdminRoutes returns the routes of purchases as admins see them.
func purchaseAdminRoutes() []Route {
	return []Route{
		{ID: "admin.purchases", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/purchases",
			Summary: "List the purchases, or those that a search or a filter selects",
			Description: "The newest first, in full, or in pages. With `q`, `userId`, `courseId`, " +
				"`from` or `to` the answer is a page. A page reads a bounded number of purchases: " +
				"it may have few or none and a `nextCursor`, with which the search goes on. With " +
				"`format=csv` the answer is a file for the books: the completed purchases, the " +
				"counted refunds and the numbered papers of a `month`, or of the time from `from` " +
				"to `to`, in every currency. The sum of the purchases and refunds in a currency is " +
				"its revenue; papers stand beside them.",
			query:  pages(purchaseParameters()...),
			Errors: []error{core.ErrInvalidRequest},
			Do: raw((*api).purchaseReports).answering(purchaseReportsAnswer{}).searching().
				writing(csvContent, nil)},
		{ID: "admin.purchase", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/purchases/:purchaseId",
			Summary: "Show a purchase with its payments, refunds, disputes, papers and history",
			Description: "What is stored; no provider is asked. A purchase whose order was never " +
				"opened is 404.",
			Errors: []error{purchase.ErrNotFound},
			Do:     do((*api).purchaseDetail)},
	}
}

// purchaseParameters are the filters of the purchases that admins see.
func purchaseParameters() []parameter {
	aTime := map[string]any{"type": "string", "format": "date-time"}
	aText := map[string]any{"type": "string"}
	return []parameter{
		{name: "q", schema: map[string]any{"type": "string", "maxLength": 200},
			text: "Only the purchases with this order, this payment, or a paper with this number; or " +
				"else of the buyers who have all these words: each is the beginning of a word of " +
				"the name or the e-mail address. Case and accents are ignored."},
		{name: "status",
			text: "Only the purchases of this status; `all` is every one.",
			schema: texts("all", string(purchase.Created), string(purchase.Pending),
				string(purchase.Completed), string(purchase.Failed),
				string(purchase.Refunded))},
		{name: "userId", schema: aText, text: "Only the purchases of this user."},
		{name: "courseId", schema: aText, text: "Only the purchases of this course."},
		{name: "from", schema: aTime,
			text: "Only the purchases that were created at this time or later. Of a file, the time " +
				"of the payments, refunds and numbers."},
		{name: "to", schema: aTime, text: "Only those before this time."},
		{name: "format", schema: texts("csv"),
			text: "`csv`: a file for spreadsheets, as of other lists, with the bookings of a time. " +
				"Then `q`, `status`, `userId` and `courseId` are refused."},
		{name: "month", schema: map[string]any{"type": "string", "pattern": `^\d{4}-\d{2}$`},
			text: "The month of a file, such as `2026-01`, in the time zone of the seller, instead " +
				"of `from` and `to`."},
	}
}
