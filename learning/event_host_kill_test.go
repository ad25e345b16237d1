package learning_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/core"
)

// sellerDatabase is the variable with the URL of the database in which a seller sells.
const sellerDatabase = "LEARNING_TEST_SELLER_DATABASE"

// TestHostSeller is no test, but a process that TestWithInTransaction_Killed starts and kills. It
// sells the course "go", to one user after the other, and prints a line for each sale. It ends when
// its standard input does, so that it does not outlive the test.
func TestHostSeller(t *testing.T) {
	database := os.Getenv(sellerDatabase)
	if database == "" {
		t.Skip("it is run by TestWithInTransaction_Killed")
	}
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(1)
	}()
	b := &roomtest.RowWriter{Database: database}
	w := roomtest.New(t, database, b.Option())
	for _, err := range roomtest.Concurrently(4, func(seller int) error {
		for n := 0; ; n++ {
			id := fmt.Sprintf("%d-%d-%d", os.Getpid(), seller, n)
			o := w.Order(t, w.Person(t, id, core.Student), "go")
			err := w.Platform.System().CapturePayment(ctx(), roomtest.CapturedPayment(o, "pay_"+id))
			if err != nil {
				return err
			}
			fmt.Println("sold")
		}
	}) {
		t.Error(err)
	}
}

// runSeller starts a seller and kills it after some sales, while it makes others.
func runSeller(t *testing.T, database string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestHostSeller$")
	// The killed process leaves its temporary files to this test.
	cmd.Env = append(os.Environ(), sellerDatabase+"="+database, "TMPDIR="+t.TempDir())
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	sales, lines := 0, bufio.NewScanner(out)
	var printed strings.Builder
	for last := 10 + rand.N(30); sales < last && lines.Scan(); {
		if lines.Text() == "sold" {
			sales++
		}
		fmt.Fprintln(&printed, lines.Text())
	}
	_ = cmd.Process.Kill() // SIGKILL, in the midst of the transactions of the other sales
	_ = cmd.Wait()
	if sales < 10 {
		t.Fatalf("the seller ended after %d sales: %s", sales, printed.String())
	}
}

func TestWithInTransaction_Killed(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		database := e.Reused(t)
		w, _ := newHost(t, database)
		w.Course(t, "go", 499_00)
		for range 6 {
			runSeller(t, database)

			// One statement sees all tables at one moment: the server may still end the
			// transactions of the killed process.
			var enrolled, completed, rows, purchases int
			err := w.DB.QueryRow(`SELECT
				(SELECT COUNT(*) FROM enrollments),
				(SELECT COUNT(*) FROM purchases WHERE status = 'completed'),
				(SELECT COUNT(*) FROM host_rows WHERE type = 'purchase.completed'),
				(SELECT COUNT(DISTINCT h.purchase_id) FROM host_rows h JOIN enrollments e
					ON e.purchase_id = h.purchase_id WHERE h.type = 'purchase.completed')`).Scan(
				&enrolled, &completed, &rows, &purchases)
			if err != nil {
				t.Fatal(err)
			}
			if enrolled == 0 || enrolled != completed || enrolled != rows || rows != purchases {
				t.Errorf("%d enrolments, %d purchases and %d rows of the host for %d of them",
					enrolled, completed, rows, purchases)
			}
		}
		w.WantRightTotals(t)
	})
}
