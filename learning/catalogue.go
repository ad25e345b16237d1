package learning

import (
	"context"
	"fmt"
)

// Revision stands for a state of the published catalogue: two that are equal
// mean the same list. It only makes sense to compare them.
type Revision struct{ Courses, Changes int64 }

// Catalogue is the list of published courses, the oldest first.
func (p *Platform) Catalogue(ctx context.Context) ([]Course, error) {
	list, err := p.store.PublishedCourses(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the courses: %w", err)
	}
	return list, nil
}

// CatalogueRevision asks the database, cheaply, for the state of the catalogue,
// so that somebody who keeps the list notices the changes of other processes.
func (p *Platform) CatalogueRevision(ctx context.Context) (Revision, error) {
	r, err := p.store.CatalogueRevision(ctx)
	if err != nil {
		return Revision{}, fmt.Errorf("read the revision of the catalogue: %w", err)
	}
	return r, nil
}

// CatalogueChanges counts the changes of the catalogue that this platform has
// committed: when it moves, a list read before is out of date. It asks nobody.
func (p *Platform) CatalogueChanges() uint64 { return p.changes.Load() }

func (p *Platform) catalogueChanged() { p.changes.Add(1) }
