package inbox_test

import (
	"context"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
)

func TestMain(m *testing.M) { roomtest.Main(m) }

// ctx is the context of the tests.
func ctx() context.Context { return context.Background() }
