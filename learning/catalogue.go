package learning

import (
	"context"
	"fmt"
)

// Revision identifies a state of the published catalogue. Two equal revisions have
// the same list. Revisions have no order.
type Revision struct{ Courses, Changes int64 }

// Catalogue lists the published courses, the oldest first.
func (p *Platform) Catalogue() *List[Course] {
	return pagedList("list the courses", inPages(p.store.PublishedCourses),
		func(c *Course) Position { return Position{At: c.CreatedAt, ID: c.ID} })
}

// CatalogueRevision reads the revision of the catalogue from the database. It is
// cheaper than reading the list, so that a cache of the list can detect the changes
// of other processes.
func (p *Platform) CatalogueRevision(ctx context.Context) (Revision, error) {
	r, err := p.store.CatalogueRevision(ctx)
	if err != nil {
		return Revision{}, fmt.Errorf("read the revision of the catalogue: %w", err)
	}
	return r, nil
}

// CatalogueChanges returns how many changes of courses and their educators this platform
// has committed. If the number has changed, a list that was read before is outdated. It
// does not read the database. Enrolments and ratings are not counted, because they are
// frequent: they change the revision only.
func (p *Platform) CatalogueChanges() uint64 { return p.changes.Load() }

func (p *Platform) catalogueChanged() { p.changes.Add(1) }
