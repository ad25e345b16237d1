// Package community is the room of what people say to each other: groups, posts, replies and votes,
// ratings and reviews of courses, and complaints about all of these with their decisions.
//
// It uses packages core, catalog and study: who may read what is said about a course follows from
// the course and the enrolment. It refuses texts beyond their limits, and reviews of those who
// are not enrolled. Begin reading at [Service], and at post.go for who may see a post.
package community
