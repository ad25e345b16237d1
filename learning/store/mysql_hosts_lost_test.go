package store

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
)

// twoServers returns two stores with the tables and a course, each on a server of its own, and the
// URL of both.
func twoServers(t *testing.T) (url string, servers [2]*enginetest.Server, stores [2]*Store) {
	t.Helper()
	var addresses []string
	for i := range servers {
		servers[i] = enginetest.StartMariaDB(t)
		root := opened(t, servers[i].URL("learning"))
		for _, grant := range []string{"CREATE USER app@'%' IDENTIFIED BY 'secret'", "GRANT ALL ON learning.* TO app@'%'"} { // it cannot write to a read-only server
			if _, err := root.writer.Exec(grant); err != nil {
				t.Fatal(err)
			}
		}
		stores[i] = migrated(t, servers[i].URL("learning"))
		addCourses(t, stores[i], "a")
		addresses = append(addresses, strings.TrimSuffix(strings.TrimPrefix(servers[i].URL("learning"), "mysql://root@"), "/learning"))
	}
	return "mysql://app:secret@" + strings.Join(addresses, ",") + "/learning", servers, stores
}

// addStudent adds a student to the course in a transaction, and calls between before it does so.
func addStudent(s *Store, between func()) error {
	return s.InTx(context.Background(), func(tx learning.Tx) error {
		between()
		return tx.IncrementEnrollments(context.Background(), "a")
	})
}

func TestStore_HostIsLost_WorksOnTheNext(t *testing.T) {
	for name, lose := range map[string]func(server *enginetest.Server, s *Store) error{
		"killed": func(server *enginetest.Server, _ *Store) error { server.Kill(); return nil },
		"read_only": func(_ *enginetest.Server, s *Store) error {
			_, err := s.writer.Exec("SET GLOBAL read_only = 1")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, servers, direct := twoServers(t)
			s := opened(t, url, WithDeadlines(30*time.Second, 30*time.Second))
			fill(t, s)
			if err := addStudent(s, func() {}); err != nil {
				t.Fatal(err)
			}
			between := sync.OnceFunc(func() {
				if err := lose(servers[0], direct[0]); err != nil {
					t.Error(err)
				}
			})
			for range 3 {
				if err := addStudent(s, between); err != nil {
					t.Errorf("a transaction: %v", err)
				}
			}
			if got := students(t, direct[1], "a"); got != 3 {
				t.Errorf("the second server counted %d students, want 3", got)
			}
			if got := students(t, s, "a"); got != 3 {
				t.Errorf("it read %d students, want those of the second server", got)
			}
		})
	}
}

// A silent host costs one time-out, which is shorter than that of a read.
func TestStore_HostIsSilent_WorksOnTheNext(t *testing.T) {
	t.Parallel()
	url, servers, direct := twoServers(t)
	servers[0].Freeze()
	t.Cleanup(servers[0].Thaw)
	s := opened(t, url, WithDeadlines(30*time.Second, 30*time.Second))
	began := time.Now()
	for range 20 {
		if err := addStudent(s, func() {}); err != nil {
			t.Error(err)
		}
		s.writer.SetMaxIdleConns(0) // the next connection is new
	}
	if got := students(t, direct[1], "a"); got != 20 {
		t.Errorf("counted %d students, want 20", got)
	}
	if took := time.Since(began); took > 10*2500*time.Millisecond {
		t.Errorf("20 connections took %v: the silent host cost each of them a time-out", took)
	}
}

func TestOpen_NoHostAnswers_ErrorWithoutPassword(t *testing.T) {
	_, err := Open(t.Context(), "mysql://u:s3cret@127.0.0.1:1,127.0.0.1:2/db")
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:1: ") || !strings.Contains(err.Error(), "127.0.0.1:2: ") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got %v", err)
	}
}

func TestHostMoves_OneHost_AreNotCounted(t *testing.T) {
	hosts := fakeHosts(&fakeHost{err: errRefused})
	if _, err := hosts.Connect(t.Context()); err == nil {
		t.Error("connected")
	}
	if n := (&Store{hosts: hosts}).HostMoves(); n != 0 || (&Store{}).HostMoves() != 0 {
		t.Errorf("%d moves", n)
	}
}
