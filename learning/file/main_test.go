package file_test

import (
	"context"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
)

func TestMain(m *testing.M) { roomtest.Main(m) }

func ctx() context.Context { return context.Background() }
