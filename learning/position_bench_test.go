package learning_test

import (
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/study"
)

// BenchmarkSavePosition saves positions in the lectures of a course of 40; each client is another
// user. The baseline is a bare upsert between BEGIN and COMMIT, without any check. Ours also checks
// that the user is enrolled and that the course has the lecture, sets the last lecture of the
// enrolment, and looks for deleted users; the positions of concurrent calls share a transaction.
func BenchmarkSavePosition(b *testing.B) {
	enginetest.Each(b, enginetest.Dialects, func(b *testing.B, e enginetest.Engine) {
		s := newShop(b, e.URL(b))
		onConflict := "ON CONFLICT (user_id, course_id, lecture_id) DO UPDATE " +
			"SET milliseconds = excluded.milliseconds, saved_at = excluded.saved_at"
		if e.Name == "MariaDB" || e.Name == "MySQL" {
			onConflict = "ON DUPLICATE KEY UPDATE " +
				"milliseconds = VALUES(milliseconds), saved_at = VALUES(saved_at)"
		}
		var ids []string
		for i := range 40 {
			ids = append(ids, fmt.Sprint("lecture-", i))
		}
		course, err := s.Platform.Catalog.AddCourse(b.Context(), s.Person(b, "author",
			core.Educator),
			catalog.NewCourse{Title: "Reading the Night Sky", Published: true,
				Content: []catalog.Chapter{roomtest.Chapter("1",
					ids...)}}, learningtest.Thumbnail(b))
		if err != nil {
			b.Fatal(err)
		}
		for _, clients := range []int{1, 8, 64, 512} {
			b.Run(fmt.Sprintf("clients=%d", clients),
				func(b *testing.B) { s.comparePositions(b, course, ids, clients, onConflict) })
		}
	})
}

func (s *shop) comparePositions(
	b *testing.B, course string, lectures []string, clients int, onConflict string,
) {
	for client := range clients {
		s.Person(b, person(client), core.Student)
		if err := s.Store.InTx(b.Context(), func(tx learning.Tx) error {
			_, err := tx.DeleteEnrollment(b.Context(), person(client), course)
			if err != nil {
				return err
			}
			return tx.InsertEnrollment(b.Context(), study.Enrollment{UserID: person(client),
				CourseID: course, PurchaseID: "p", CreatedAt: learningtest.Start})
		}); err != nil {
			b.Fatal(err)
		}
	}
	save := func(client, i int) error {
		return s.Platform.Study.SavePosition(b.Context(),
			learning.Actor{UserID: person(client), Role: core.Student}, course,
			lectures[i%len(lectures)], float64(i))
	}
	upsert := s.pools.Writing(b, `
		INSERT INTO lecture_positions (user_id, course_id, lecture_id, milliseconds, saved_at)
		VALUES (?, ?, ?, ?, ?) `+onConflict)
	bare := func(client, i int) error {
		tx, err := s.pools.Write.BeginTx(b.Context(), nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if _, err := upsert(b.Context(), tx, person(client), "bare", lectures[i%len(lectures)], i,
			learningtest.Start.Format(stampLayout)); err != nil {
			return err
		}
		return tx.Commit()
	}
	const floor = 0.5
	baseline.Run(b, floor, baseline.Side{Do: baseline.Parallel(b, clients, save)},
		baseline.Side{Do: baseline.Parallel(b, clients, bare)})
}
