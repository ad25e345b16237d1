package due_test

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
)

func TestMain(m *testing.M) { roomtest.Main(m) }

func ctx() context.Context { return context.Background() }

// day is the time of a day.
const day = 24 * time.Hour
