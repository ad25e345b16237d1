package learning_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/engines"
	"github.com/openlectern/openlectern/learning/study"
)

// reseller is a host that sells courses elsewhere too. Its tables are in the database of the
// platform.
type reseller struct {
	db       *sql.DB
	platform *learning.Platform
	mails    []string
}

// tables are those of the reseller. A job is what it has decided to do, and has not done yet. No id
// of a job is used twice: the worker deletes a job by its id, after another one may have been
// added.
const tables = `
CREATE TABLE sales (number INTEGER PRIMARY KEY, user_id TEXT, course_id TEXT);
CREATE TABLE jobs (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT, user_id TEXT, course_id TEXT);`

// openReseller returns a reseller with the student ben and the course sailing, and a function that
// removes it.
func openReseller(opts ...learning.Option) (s *reseller, remove func()) {
	ctx := context.Background()
	dir := must(os.MkdirTemp("", "example"))
	file := filepath.Join(dir, "host.db")
	st := must(engines.Open(ctx, "sqlite:"+file))
	check(st.Migrate(ctx))
	s = &reseller{db: must(sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(5000)"))}
	must(s.db.ExecContext(ctx, tables))
	s.platform = must(learning.New(st, append(opts, learning.WithMedia(memory{}),
		learning.WithInTransaction(s.inCommit))...))
	for _, id := range []string{"ada", "ben"} {
		check(s.platform.System().ApplyIdentityEvent(ctx, people.IdentityEvent{
			Type: people.UserCreated, User: people.IdentityUser{ID: id}}))
	}
	must(s.platform.Catalog.AddCourse(ctx, learning.Actor{UserID: "ada", Role: core.Educator},
		sailing, picture()))
	return s, func() { s.db.Close(); st.Close(); os.RemoveAll(dir) }
}

// jobsLeft returns how many jobs there are.
func (s *reseller) jobsLeft() (n int) {
	check(s.db.QueryRow("SELECT COUNT(*) FROM jobs").Scan(&n))
	return n
}

// sell stores a sale and, in the same transaction of the reseller, the job that follows from it.
func (s *reseller) sell(ctx context.Context, number int, userID, courseID string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after the commit
	_, err = tx.ExecContext(ctx, "INSERT INTO sales VALUES (?, ?, ?)", number, userID, courseID)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx,
		"INSERT INTO jobs (kind, user_id, course_id) VALUES ('enrol', ?, ?)", userID, courseID)
	if err != nil {
		return err
	}
	return tx.Commit()
}

// enrolBuyers does the jobs of sales, outside of any transaction of the reseller. It may be called
// again after an error and after a crash: a user who is enrolled stays so.
func (s *reseller) enrolBuyers(ctx context.Context) error {
	caller := s.platform.System().Actor("reseller")
	for {
		var id int
		var userID, courseID string
		err := s.db.QueryRowContext(ctx, `SELECT id, user_id, course_id FROM jobs
			WHERE kind = 'enrol' ORDER BY id LIMIT 1`).Scan(&id, &userID, &courseID)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		} else if err != nil {
			return err
		}
		_, err = s.platform.Study.GrantEnrollment(ctx, caller,
			study.Grant{UserID: userID, CourseID: courseID, Reason: "sold elsewhere"})
		if core.IsRefused(err) { // again and again: the course was deleted, say
			log.Printf("job %d: %v", id, err)
		} else if err != nil {
			return err // busy, no answer or unknown: the job stays, and is done again
		}
		if _, err := s.db.ExecContext(ctx, "DELETE FROM jobs WHERE id = ?", id); err != nil {
			return err
		}
	}
}

// inCommit runs in the transactions of the platform. It deletes the job that such a transaction has
// done, and adds the one that follows.
func (s *reseller) inCommit(ctx context.Context, tx core.HostTx, events []learning.Event) error {
	for _, e := range events {
		if e.Type != study.EventEnrollmentCreated {
			continue
		}
		if e.Data.PurchaseID == "" { // by our job, and not by a purchase on the platform
			_, err := store.SQL(tx).ExecContext(ctx, `DELETE FROM jobs
				WHERE kind = 'enrol' AND user_id = ? AND course_id = ?`, e.Data.UserID, e.Data.CourseID)
			if err != nil {
				return fmt.Errorf("delete a job: %w", err)
			}
		}
		_, err := store.SQL(tx).ExecContext(ctx, `INSERT INTO jobs (kind, user_id, course_id)
			VALUES ('welcome', ?, ?)`, e.Data.UserID, e.Data.CourseID)
		if err != nil {
			return fmt.Errorf("add a job: %w", err)
		}
	}
	return nil
}

// work does all jobs, those for the platform and those that follow from what the platform did.
func (s *reseller) work(ctx context.Context) error {
	for {
		var id int
		var kind, userID, courseID string
		err := s.db.QueryRowContext(ctx, `SELECT id, kind, user_id, course_id FROM jobs
			ORDER BY id LIMIT 1`).Scan(&id, &kind, &userID, &courseID)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		} else if err != nil {
			return err
		}
		switch kind {
		case "enrol": // its commit deletes the job and adds the welcome
			caller := s.platform.System().Actor("reseller")
			_, err = s.platform.Study.GrantEnrollment(ctx, caller,
				study.Grant{UserID: userID, CourseID: courseID, Reason: "sold elsewhere"})
		case "welcome":
			err = s.sendWelcome(ctx, fmt.Sprint("welcome-", id), userID, courseID)
		}
		if err != nil && !core.IsRefused(err) {
			return err // the job stays, unless the commit was made: its row knows
		}
		// A refused job, a welcome, or a user who was enrolled before.
		if _, err := s.db.ExecContext(ctx, "DELETE FROM jobs WHERE id = ?", id); err != nil {
			return err
		}
	}
}

// sendWelcome sends a mail. The provider of mails sends one with the same key once.
func (s *reseller) sendWelcome(_ context.Context, key, userID, courseID string) error {
	s.mails = append(s.mails, fmt.Sprintf("%s to %s for %s", key, userID, courseID))
	return nil
}

// The outbox of the host: a transaction of its own stores what the platform is to do, and a worker
// does it after the commit, as often as it takes.
func Example_outboxOfTheHost() {
	s, remove := openReseller()
	defer remove()
	ctx := context.Background()

	if err := s.sell(ctx, 1042, "ben", "sailing"); err != nil {
		log.Fatal(err)
	}
	// A process was killed after the enrolment and before the job was deleted: another one repeats
	// it.
	_, err := s.platform.Study.GrantEnrollment(ctx, s.platform.System().Actor("reseller"),
		study.Grant{UserID: "ben", CourseID: "sailing", Reason: "sold elsewhere"})
	if err != nil {
		log.Fatal(err)
	}
	if err := s.enrolBuyers(ctx); err != nil {
		log.Fatal(err)
	}

	user, err := s.platform.People.User(ctx, people.Claims{UserID: "ben"})
	fmt.Println(user.Enrolled, err)
	// Output: [sailing] <nil>
}

// One worker for both directions: a sale of the host enrols, and an enrolment sends a mail.
func Example_oneWorker() {
	s, remove := openReseller()
	defer remove()
	ctx := context.Background()

	if err := s.sell(ctx, 1042, "ben", "sailing"); err != nil {
		log.Fatal(err)
	}
	if err := s.work(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.mails, s.jobsLeft(), "jobs left")

	// The same sale again enrols no user, and sends no mail.
	if err := s.sell(ctx, 1043, "ben", "sailing"); err != nil {
		log.Fatal(err)
	}
	if err := s.work(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(s.mails), "mail,", s.jobsLeft(), "jobs left")
	// Output:
	// [welcome-2 to ben for sailing] 0 jobs left
	// 1 mail, 0 jobs left
}
