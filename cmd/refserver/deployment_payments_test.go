package main

import "testing"

// captures returns the captured payments of each purchase at the provider.
func (c *deployment) captures(t *testing.T) map[string][]string {
	t.Helper()
	captured, err := c.till.Captured()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, p := range captured {
		all[p.PurchaseID] = append(all[p.PurchaseID], p.ID)
	}
	return all
}

// completions returns the payment of each completed purchase in the database.
func (c *deployment) completions(t *testing.T) map[string][]string {
	t.Helper()
	rows, err := c.db.Query("SELECT id, payment_id FROM purchases WHERE status = 'completed'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string][]string{}
	for rows.Next() {
		var purchase, payment string
		if err := rows.Scan(&purchase, &payment); err != nil {
			t.Fatal(err)
		}
		all[purchase] = append(all[purchase], payment)
	}
	return all
}

// wantEnrolled checks that the given number of users is enrolled, each by a completed
// purchase of their own, and that the course's counter has the same value.
func (c *deployment) wantEnrolled(t *testing.T, people int) {
	t.Helper()
	for what, n := range map[string]int{
		"enrolments": c.count(t, "enrollments"),
		"people enrolled": c.count(t,
			"(SELECT DISTINCT user_id FROM enrollments) AS e"),
		"enrolments by their own payment": c.count(t,
			"enrollments e JOIN purchases p ON p.id = e.purchase_id AND p.user_id = e.user_id AND "+
				"p.course_id = e.course_id WHERE p.status = 'completed'"),
		"students counted": c.count(t,
			"enrollments WHERE (SELECT students FROM courses WHERE id = 'paid') = (SELECT "+
				"COUNT(*) FROM enrollments)"),
	} {
		if n != people {
			t.Errorf("%d %s, want %d", n, what, people)
		}
	}
}
