//go:build linux

package faultbench

import (
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }
