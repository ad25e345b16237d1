package learning_test

import (
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/study"
)

// BenchmarkTrackTime tracks a visit to one of twenty paths; each client is another user. The
// baseline is one statement between BEGIN and COMMIT that adds to a known row. Ours also looks
// for the row before.
func BenchmarkTrackTime(b *testing.B) {
	onEnginesBench(b, func(b *testing.B, s *shop) {
		for _, clients := range []int{1, 8} {
			b.Run(fmt.Sprintf("clients=%d", clients),
				func(b *testing.B) { s.compareVisits(b, clients) })
		}
	})
}

func (s *shop) compareVisits(b *testing.B, clients int) {
	visit := func(client, i int) error {
		return s.Platform.Study.TrackTime(b.Context(),
			learning.Actor{UserID: person(client), Role: core.Student},
			study.NewTimeEntry{Page: "Course Player", Path: fmt.Sprint("/player/", i%20),
				Seconds: 12.5})
	}
	for client := range clients {
		s.Person(b, person(client), core.Student)
		for i := range 20 {
			if err := visit(client, i); err != nil {
				b.Fatal(err)
			}
		}
	}
	add := s.pools.Writing(b,
		`UPDATE time_entries SET milliseconds = milliseconds + ?, visits = visits + 1 WHERE user_id = ? AND place = ? AND day = ?`)
	places := s.places(b)
	day := learningtest.Start.Format("2006-01-02") + " 00:00:00.000000"
	bare := func(client, i int) error {
		tx, err := s.pools.Write.BeginTx(b.Context(), nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if err := one(add(b.Context(), tx, 12_500, person(client), places[i%20], day)); err != nil {
			return err
		}
		return tx.Commit()
	}
	baseline.Run(b, 0.5, baseline.Side{Do: baseline.Parallel(b, clients, visit)},
		baseline.Side{Do: baseline.Parallel(b, clients, bare)})
}

func person(client int) string { return fmt.Sprintf("user_%027d", client) }

// places are the keys that the twenty places have got.
func (s *shop) places(b *testing.B) (keys []string) {
	b.Helper()
	rows, err := s.pools.Read.Query("SELECT DISTINCT place FROM time_entries")
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			b.Fatal(err)
		}
		keys = append(keys, key)
	}
	if err := rows.Err(); err != nil || len(keys) != 20 {
		b.Fatal(len(keys), err)
	}
	return keys
}
