// Package staff is the room of those who teach and of those who run the platform: the applications
// of educators and their review, and the figures, lists and dashboards of educators and admins.
//
// It uses packages core, people, catalog, study, assess, certify and sale. It decides who may
// apply, what a review may decide and which role follows. The role is granted at the identity
// provider before the decision is stored, so that a review which was interrupted can be repeated.
// It refuses a review of one's own application, and a second decision. Educators see only their own
// courses and the students in them. The record of an application is
// [people.Application]. Begin reading at [Service], at application_review.go for a review, and at
// educator_students.go for the lists of students.
package staff
