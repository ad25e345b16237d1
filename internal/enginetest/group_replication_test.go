package enginetest_test

import (
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

func TestGroupReplication_SwitchFollowsThePrimary(t *testing.T) {
	nodes := enginetest.StartGroupReplication(t)
	urls := nodes.URLs("shop")
	primary := open(t, enginetest.NewPrimarySwitch(t, urls...).URL)
	primary.SetMaxIdleConns(-1) // the switch breaks the connections when it moves
	execute(t, primary, "CREATE TABLE course (id INT PRIMARY KEY)")
	execute(t, primary, "INSERT INTO course VALUES (1)")
	nodes[1].BecomePrimary()
	awaitWrite(t, primary, "INSERT IGNORE INTO course VALUES (2)")
	nodes[1].Kill()
	awaitWrite(t, primary, "INSERT IGNORE INTO course VALUES (3)")
	nodes[1].JoinGroup()
	awaitRows(t, open(t, urls[1]), 3)
}
