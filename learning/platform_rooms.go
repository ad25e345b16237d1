package learning

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
)

// addCatalog makes the service of room catalog.
func (p *Platform) addCatalog() {
	p.Catalog = newCatalog(core.Narrow(p.base, asCatalog), p.store, p.catalogSettings)
}

// asCatalog returns a transaction of the store as one of room catalog.
func asCatalog(tx Tx) catalogTx { return catalogRoomTx{tx} }

// catalogRoomTx is a transaction of the store with the hooks of room catalog.
type catalogRoomTx struct{ Tx }

// ContentReplaced removes the quizzes of the chapters that are gone.
func (t catalogRoomTx) ContentReplaced(
	ctx context.Context, courseID string, content []Chapter,
) error {
	return removeQuizzesOf(ctx, t.Tx, courseID, content)
}
