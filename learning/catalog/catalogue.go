package catalog

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
)

// Revision identifies a state of the published catalogue. Two equal revisions have
// the same list. Revisions have no order.
type Revision struct{ Courses, Changes int64 }

// CatalogueRevision reads the revision of the catalogue from the database. It is
// cheaper than reading the list, so that a cache of the list can detect the changes
// of other processes.
func (s *Service) CatalogueRevision(ctx context.Context) (Revision, error) {
	r, err := s.store.CatalogueRevision(ctx)
	return r, core.Wrap("read the revision of the catalogue", err)
}

// CatalogueChanges returns how many changes of courses and their educators this platform
// has committed. If the number has changed, a list that was read before is outdated. It
// does not read the database. Enrolments and ratings are not counted, because they are
// frequent: they change the revision only.
func (s *Service) CatalogueChanges() uint64 { return s.changes.Load() }

// catalogueChanged counts a change of the catalogue, so that caches of this process read it again:
// see CatalogueChanges. Call it after the commit.
func (s *Service) catalogueChanged() { s.changes.Add(1) }
