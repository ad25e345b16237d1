package learning_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/study"
)

// BenchmarkLearning completes a lecture of a course of 40, and replaces a rating. The baseline
// is the same statements, written by hand. Ours also parses the 40 lectures twice: before the
// write to find the lecture, and after it to find out whether the course is completed.
func BenchmarkLearning(b *testing.B) {
	for name, database := range map[string]func(b *testing.B) string{
		"sqlite": func(b *testing.B) string {
			return "sqlite:" +
				filepath.Join(b.TempDir(), "learning.db")
		},
		"mariadb": func(b *testing.B) string { return enginetest.MariaDB(b) },
	} {
		b.Run(name, func(b *testing.B) {
			c := newClassroom(b, database(b))
			for _, clients := range []int{1, 8} {
				b.Run(fmt.Sprintf("CompleteLecture/clients=%d", clients),
					func(b *testing.B) { c.compare(b, clients, c.complete, c.bareComplete(b)) })
				b.Run(fmt.Sprintf("Rate/clients=%d", clients),
					func(b *testing.B) { c.compare(b, clients, c.rate, c.bareRate(b)) })
			}
		})
	}
}

// classroom is a course whose lectures are completed by ours and by the baseline.
type classroom struct {
	*learningtest.Kit
	pools    baseline.Pools
	course   string
	lectures []string
	made     int
}

// step is one lecture of one student.
type step struct {
	student, lecture string
	stars            int
}

func newClassroom(b *testing.B, database string) *classroom {
	b.Helper()
	c := &classroom{Kit: learningtest.New(b, learningtest.WithDatabase(database)),
		pools: baseline.Open(b, database)}
	var content []catalog.Chapter
	for i := range 8 {
		ids := make([]string, 5)
		for j := range ids {
			ids[j] = fmt.Sprintf("lecture-%d-%d", i, j)
		}
		c.lectures = append(c.lectures, ids...)
		content = append(content, roomtest.Chapter(fmt.Sprint("chapter-", i), ids...))
	}
	educator := c.Person(b, "educator", core.Educator)
	id, err := c.Platform.Catalog.AddCourse(b.Context(), educator,
		catalog.NewCourse{Title: "Reading the Night Sky", Published: true, Content: content},
		learningtest.Thumbnail(b))
	if err != nil {
		b.Fatal(err)
	}
	c.course = id
	return c
}

func (c *classroom) compare(b *testing.B, clients int,
	ours, bare func(ctx context.Context, s step) error) {
	// can be cancelled, like the context of a request
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	side := func(do func(context.Context, step) error) baseline.Side {
		var steps []step
		return baseline.Side{
			Prepare: func(n int) { steps = c.enroll(b, n) },
			Do: baseline.Parallel(b, clients,
				func(_, i int) error { return do(ctx, steps[i]) }),
		}
	}
	baseline.Run(b, 0.7, side(ours), side(bare))
}

// enroll inserts students who have rated the course, and returns a step for each lecture of
// each student.
func (c *classroom) enroll(b *testing.B, n int) []step {
	b.Helper()
	steps := make([]step, 0, n)
	err := c.Store.InTx(b.Context(), func(tx learning.Tx) error {
		for len(steps) < n {
			c.made++
			student := fmt.Sprint("student-", c.made)
			if err := tx.InsertEnrollment(b.Context(),
				study.Enrollment{UserID: student, CourseID: c.course, PurchaseID: "p",
					CreatedAt: learningtest.Start}); err != nil {
				return err
			}
			rating := community.Rating{UserID: student, CourseID: c.course, Stars: 5,
				CreatedAt: learningtest.Start, UpdatedAt: learningtest.Start}
			if err := tx.InsertRating(b.Context(), rating); err != nil {
				return err
			}
			for i, lecture := range c.lectures[:min(len(c.lectures), n-len(steps))] {
				steps = append(steps,
					step{student: student, lecture: lecture, stars: 1 + i%community.MaxStars})
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return steps
}

func (c *classroom) complete(ctx context.Context, s step) error {
	_, err := c.Platform.Study.CompleteLecture(ctx,
		learning.Actor{UserID: s.student, Role: core.Student}, c.course, s.lecture)
	return err
}

func (c *classroom) rate(ctx context.Context, s step) error {
	return c.Platform.Community.Rate(ctx, learning.Actor{UserID: s.student, Role: core.Student},
		c.course,
		s.stars)
}

// bareReads are the hand-written reads of an operation.
type bareReads struct {
	enrolled, course, content, done func(ctx context.Context, args ...any) (*sql.Rows, error)
}

func (c *classroom) reads(b *testing.B) bareReads {
	return bareReads{
		enrolled: c.pools.Reading(b,
			`SELECT 1 FROM enrollments WHERE user_id = ? AND course_id = ?`),
		course: c.pools.Reading(b, `
			SELECT c.id, c.title, c.thumbnail, c.price, c.discount, c.is_published, c.educator_id, c.rating_sum, c.rating_count,
				c.lectures, c.minutes, c.students, c.created_at, c.updated_at, c.description, u.name, u.image_url, u.deleted_at, r.stars
			FROM enrollments e JOIN courses c ON c.id = e.course_id LEFT JOIN users u ON u.id = c.educator_id
				LEFT JOIN ratings r ON r.user_id = e.user_id AND r.course_id = e.course_id
			WHERE e.user_id = ? AND e.course_id = ?`),
		content: c.pools.Reading(b, `SELECT content FROM course_contents WHERE course_id = ?`),
		done: c.pools.Reading(b,
			`SELECT lecture_id, completed_at FROM completed_lectures WHERE user_id = ? AND course_id = ? ORDER BY completed_at, lecture_id`),
	}
}

// all runs a query and scans its rows into bytes.
func all(rows *sql.Rows, err error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, dest := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
	for i := range values {
		dest[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (c *classroom) bareComplete(b *testing.B) func(ctx context.Context, s step) error {
	read := c.reads(b)
	insert := c.pools.Writing(b,
		`INSERT INTO completed_lectures (user_id, course_id, lecture_id, completed_at) VALUES (?, ?, ?, ?)`)
	return func(ctx context.Context, s step) error {
		if err := errors.Join(all(read.enrolled(ctx, s.student, c.course)),
			all(read.content(ctx, c.course))); err != nil {
			return err
		}
		tx, err := c.pools.Write.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		if _, err := insert(ctx, tx, s.student, c.course, s.lecture,
			learningtest.Start.Format(stampLayout)); err != nil {
			return err
		}
		if err := tx.Commit(); err != nil {
			return err
		}
		return all(read.done(ctx, s.student, c.course))
	}
}

func (c *classroom) bareRate(b *testing.B) func(ctx context.Context, s step) error {
	read := c.reads(b)
	touch := c.pools.Writing(b, `UPDATE courses SET revision = revision + 1 WHERE id = ?`)
	replace := c.pools.Writing(b,
		`UPDATE ratings SET stars = ?, updated_at = ? WHERE user_id = ? AND course_id = ? AND stars = ?`)
	count := c.pools.Writing(b,
		`UPDATE courses SET rating_sum = rating_sum + ?, rating_count = rating_count + ?, revision = revision + 1 WHERE id = ?`)
	return func(ctx context.Context, s step) error {
		if err := all(read.course(ctx, s.student, c.course)); err != nil {
			return err
		}
		tx, err := c.pools.Write.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		if _, err := touch(ctx, tx, c.course); err != nil {
			return err
		}
		var old int
		if err := tx.QueryRowContext(ctx,
			`SELECT stars FROM ratings WHERE user_id = ? AND course_id = ?`, s.student,
			c.course).Scan(&old); err != nil {
			return err
		}
		if _, err := replace(ctx, tx, s.stars, learningtest.Start.Format(stampLayout), s.student,
			c.course, old); err != nil {
			return err
		}
		if _, err := count(ctx, tx, s.stars-old, 0, c.course); err != nil {
			return err
		}
		return tx.Commit()
	}
}
