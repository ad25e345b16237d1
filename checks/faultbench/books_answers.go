//go:build linux

package faultbench

import (
	"context"
	"path"
	"slices"
	"strings"
)

// checkAnswers checks that everything that was answered is in the database.
func (l *ledger) checkAnswers(ctx context.Context) error {
	// What cannot be taken back: each key that was answered must be a row. A source is what follows
	// FROM, and the columns that make the key.
	for kind, source := range map[string][]string{
		claimLecture: {"completed_lectures", "user_id", "course_id", "lecture_id"},
		claimPost:    {"posts", "id"},
		claimReply:   {"replies", "id"},
		claimEnrolled: {
			"(SELECT user_id, course_id FROM enrollments UNION SELECT user_id, course_id FROM " +
				"past_enrollments) e", "user_id", "course_id"},
		claimRating: {"ratings", "user_id", "course_id", "stars"},
		// one key for all attempts at a quiz
		claimResult: {"quiz_results GROUP BY user_id, course_id, chapter_id", "user_id",
			"course_id", "chapter_id"},
	} {
		rows, err := l.keys(ctx, source[0], source[1:]...)
		if err != nil {
			return err
		}
		for key := range l.claims.of(kind) { // whose values are all the same
			if _, ok := rows[key]; !ok {
				l.difference("%s %s was answered and is lost", kind, key)
			}
		}
	}
	// What can be replaced: the last answer counts.
	if err := l.checkNames(ctx); err != nil {
		return err
	}
	return l.checkCertificates(ctx)
}

// checkNames checks that each user has the name that the identity provider knows, in whatever order
// its events came.
func (l *ledger) checkNames(ctx context.Context) error {
	names, err := l.rows(ctx, "SELECT id, name FROM users")
	l.compare("the name of", l.claims.of(claimName), names)
	return err
}

// checkCertificates checks that each certificate that was answered is the only one of its user and
// course.
func (l *ledger) checkCertificates(ctx context.Context) error {
	ids, err := l.rows(ctx, "SELECT "+l.concat([]string{"user_id", "course_id"})+
		", id FROM certificates")
	if err != nil {
		return err
	}
	for key, url := range l.claims.of(claimCertificate) {
		if id := ids[key]; id == "" || !strings.Contains(path.Base(url), id) {
			l.difference("the certificate %s of %s was answered, and the database has %q", url, key,
				id)
		}
	}
	return nil
}

// checkToggles checks that each vote and each membership that was answered is there, and that there
// are no others than those whose outcome is unknown.
func (l *ledger) checkToggles(ctx context.Context) error {
	// A source is a table, and the columns that make the key.
	for kind, source := range map[string][]string{
		claimVote:       {"votes WHERE reply_id = ''", "post_id", "user_id"},
		claimMembership: {"memberships", "group_id", "user_id"},
	} {
		rows, err := l.keys(ctx, source[0], source[1:]...)
		if err != nil {
			return err
		}
		// What was answered must be there.
		claims := l.claims.of(kind)
		for key, claim := range claims {
			if _, ok := rows[key]; !ok && claim == answered {
				l.difference("%s %s was answered and is lost", kind, key)
			}
		}
		// What is there must have been asked for. The founder of a group is a member of it by its
		// creation.
		for key := range rows {
			if _, ok := claims[key]; !ok && !strings.HasSuffix(key, "|"+founder) {
				l.difference("%s %s is there, and nothing has asked for it", kind, key)
			}
		}
	}
	return nil
}

// checkEvents checks that every event was received, and those of each subject in order.
func (l *ledger) checkEvents(ctx context.Context) error {
	rows, err := l.db.QueryContext(ctx,
		"SELECT subject, id, status FROM event_deliveries ORDER BY subject, seq")
	if err != nil {
		return err
	}
	defer rows.Close()
	// Read the events in the order in which they were stored.
	want := map[string][]string{}
	for rows.Next() {
		var subject, id, status string
		if err := rows.Scan(&subject, &id, &status); err != nil {
			return err
		}
		if status != "delivered" {
			l.difference("the event %s of %s is %s", id, subject, status)
		}
		want[subject] = append(want[subject], id)
	}
	// Each must have arrived, in the same order within its subject.
	for subject, ids := range want {
		if got := l.receiver.received(subject); !slices.Equal(got, ids) {
			l.difference("the events of %s are %v, and were received in the order %v", subject, ids,
				got)
		}
	}
	return rows.Err()
}
