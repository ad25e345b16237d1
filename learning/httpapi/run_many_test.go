package httpapi_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/sqlite"
)

// A host may have a platform for each of its customers, in one process and on one pool.
func TestSeveralPlatforms_CostLittle(t *testing.T) {
	t.Run("10", func(t *testing.T) { cheapPlatforms(t, 10) })
	t.Run("50", func(t *testing.T) {
		enginetest.Need(t, "repeated", nil) // SQLite needs long for so many tables
		cheapPlatforms(t, 50)
	})
}

// cheapPlatforms makes, runs and uses platforms on one pool, and checks what each takes.
func cheapPlatforms(t *testing.T, platforms int) {
	const (
		maxGoroutines = 5
		maxMemory     = 1 << 20 // bytes
	)
	pool := enginetest.HostPool(t, "sqlite:"+filepath.Join(t.TempDir(), "learning.db"))
	pool.SetMaxOpenConns(4) // each connection reads the schema of all tables
	stores := make([]*store.Store, platforms)
	for n := range stores {
		st, err := sqlite.New(pool, store.WithPrefix(prefixOf(n)))
		roomtest.Must(t, err)
		stores[n] = st
	}
	roomtest.Must(t, stores[0].Migrate(t.Context()))
	copyTables(t, pool, platforms)

	// Make, run and use them.
	memory, goroutines := memoryInUse(), runtime.NumGoroutine()
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	handlers := make([]http.Handler, platforms)
	for n, st := range stores {
		platform, err := learning.New(st, learning.WithEvents("books", &roomtest.Receiver{}))
		roomtest.Must(t, err)
		running.Go(func() { platform.Run(ctx) })
		handlers[n], err = httpapi.New(platform)
		roomtest.Must(t, err)
		a := httptest.NewRecorder()
		handlers[n].ServeHTTP(a, httptest.NewRequest(http.MethodGet, "/api/course/all", nil))
		if a.Code != http.StatusOK {
			t.Fatalf("platform %d answers %d: %s", n, a.Code, a.Body)
		}
	}

	// A platform needs some more for a moment, while it looks for work.
	roomtest.Await(t, "few goroutines", func() bool {
		return runtime.NumGoroutine()-goroutines <= maxGoroutines*platforms
	})
	used := (memoryInUse() - memory) / platforms
	if used > maxMemory {
		t.Errorf("a platform takes %d bytes, want at most %d", used, maxMemory)
	}
	t.Logf("a platform takes %d KB and %.1f goroutines", used>>10,
		float64(runtime.NumGoroutine()-goroutines)/float64(platforms))
	runtime.KeepAlive(handlers)
}

// prefixOf returns the prefix of the tables of the n-th platform.
func prefixOf(n int) string { return fmt.Sprintf("school%02d_", n) }

// copyTables makes the tables and indexes of platforms from 1 on like those of platform 0, which is
// quicker than to migrate each.
func copyTables(t *testing.T, pool *sql.DB, platforms int) {
	t.Helper()
	first := prefixOf(0)
	rows, err := pool.Query("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name LIKE ?",
		first+"%")
	roomtest.Must(t, err)
	defer rows.Close()
	var script strings.Builder
	for rows.Next() {
		var statement string
		roomtest.Must(t, rows.Scan(&statement))
		script.WriteString(statement + ";\n")
	}
	roomtest.Must(t, rows.Err())
	const migrations = "learning_migrations"
	tx, err := pool.Begin()
	roomtest.Must(t, err)
	defer tx.Rollback()
	for n := 1; n < platforms; n++ {
		_, err := tx.Exec(strings.ReplaceAll(script.String(), first, prefixOf(n)) +
			"INSERT INTO " + prefixOf(n) + migrations + " SELECT * FROM " + first + migrations)
		roomtest.Must(t, err)
	}
	roomtest.Must(t, tx.Commit())
}

// memoryInUse returns the bytes of the heap that are in use, and of the stacks.
func memoryInUse() int {
	runtime.GC()
	runtime.GC() // pools give up what they keep at the second one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc + m.StackInuse)
}
