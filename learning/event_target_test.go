package learning_test

import (
	"context"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/store/engines"
)

func TestWithEvents_InvalidTargetIsRefused(t *testing.T) {
	st, err := engines.Open(t.Context(), "sqlite:"+t.TempDir()+"/learning.db")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	handler := core.EventHandlerFunc(func(context.Context, learning.Event) error { return nil })
	for name, opts := range map[string][]learning.Option{
		"no_name":     {learning.WithEvents("", handler)},
		"space":       {learning.WithEvents("my mail", handler)},
		"too_long":    {learning.WithEvents(strings.Repeat("a", 33), handler)},
		"name_in_use": {learning.WithEvents("mail", handler), learning.WithEvents("mail", handler)},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := learning.New(st, opts...); err == nil ||
				!strings.Contains(err.Error(), "target needs") {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := learning.New(st, learning.WithEvents("mail", handler),
		learning.WithEvents("web-2", handler)); err != nil {
		t.Error(err)
	}
}
