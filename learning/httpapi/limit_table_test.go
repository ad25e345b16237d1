package httpapi_test

import (
	"testing"

	"github.com/openlectern/openlectern/learning/httpapi"
)

// withoutLimit are the routes with a body that have no limit: those of interface.md, whose limits
// it names, and the webhooks, which are not those of users.
var withoutLimit = map[string]bool{
	"progress.update": true, "progress.get": true, "rating.add": true, "time.track": true,
	"application.apply": true, "course.add": true,
	"gateway.webhook": true, "stripe.webhook": true, "provider.webhook": true, "identity.webhook": true,
}

// Each route that takes a body has a limit, so that no user can send any number of them.
func TestLimits_OfEachRouteWithABody(t *testing.T) {
	for _, row := range httpapi.Table() {
		switch {
		case row.HasBody && !row.Limited && !withoutLimit[row.ID]:
			t.Errorf("%s takes a body and has no limit: give its row in learning/httpapi/routes_*.go a "+
				"Limit, such as ChangeLimit", row.ID)
		case withoutLimit[row.ID] && (!row.HasBody || row.Limited):
			t.Errorf("%s takes no body or has a limit: remove it from withoutLimit", row.ID)
		}
		delete(withoutLimit, row.ID)
	}
	for id := range withoutLimit {
		t.Errorf("%s is no route: remove it from withoutLimit", id)
	}
}
