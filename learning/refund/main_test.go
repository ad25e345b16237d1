package refund_test

import (
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
)

func TestMain(m *testing.M) { roomtest.Main(m) }
