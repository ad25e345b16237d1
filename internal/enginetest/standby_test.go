package enginetest_test

import (
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

func TestStandby_PromotedHasWhatWasAnswered(t *testing.T) {
	pair := enginetest.StartPair(t)
	both := open(t, pair.URL("shop")+"&target_session_attrs=read-write")
	both.SetMaxIdleConns(-1) // the primary that ends leaves dead connections
	execute(t, both, "CREATE TABLE course (id INT PRIMARY KEY)")
	execute(t, both, "INSERT INTO course VALUES (1)")
	pair.Primary.Crash()
	pair.Standby.Promote()
	execute(t, both, "INSERT INTO course VALUES (2)")
	awaitRows(t, both, 2)
}
