package bundle

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// Create adds a bundle and returns it: an educator one of their own courses, an admin one of any
// courses, which may be drafts. Errors: [core.ErrUnauthenticated], [core.ErrForbidden], also for a
// course of another educator, [core.ErrInvalidRequest], [catalog.ErrCourseNotFound],
// [ErrTooManyBundles].
func (s *Service) Create(
	ctx context.Context, actor core.Actor, n NewBundle,
) (created Bundle, err error) {
	if err := actor.RequireRole(core.Educator, core.Admin); err != nil {
		return Bundle{}, err
	}
	now := s.base.Now()
	b := Bundle{ID: s.base.NewID(), Title: n.Title, Description: n.Description, Price: n.Price,
		Prices: n.Prices, Discount: n.Discount, Published: n.Published, Version: 1,
		CreatedAt: now, UpdatedAt: now}
	err = cmp.Or(b.checkTexts(), checkCourseIDs(n.CourseIDs),
		s.catalog.CheckPrice("price", b.Price, b.Discount),
		s.catalog.CheckPrices("price", b.Prices))
	if err != nil {
		return Bundle{}, err
	}
	err = s.base.InTx(ctx, func(tx Tx) (err error) {
		created, err = create(ctx, tx, actor, b, n.CourseIDs)
		return err
	})
	return created, core.Wrap("add a bundle", err)
}

// create is the transaction of Create.
func create(
	ctx context.Context, tx Tx, actor core.Actor, b Bundle, courseIDs []string,
) (Bundle, error) {
	// Lock the educator, so that two transactions do not count the same bundles. The bundles of
	// admins are not limited. Then lock the courses, and read and count.
	isLimited := actor.Role != core.Admin
	if isLimited {
		if err := core.LockUser(ctx, tx, actor.UserID); err != nil {
			return Bundle{}, err
		}
	}
	if err := lockCourses(ctx, tx, courseIDs); err != nil {
		return Bundle{}, err
	}
	educatorID, err := educatorOf(ctx, tx, actor, courseIDs)
	if err != nil {
		return Bundle{}, err
	}
	if isLimited {
		count, err := tx.CountBundlesOf(ctx, actor.UserID)
		if err == nil && count >= MaxBundlesOfEducator {
			err = ErrTooManyBundles
		}
		if err != nil {
			return Bundle{}, err
		}
	}

	// Store the bundle, and read it with the titles of its courses.
	b.EducatorID = educatorID
	if err := tx.InsertBundle(ctx, b); err != nil {
		return Bundle{}, err
	}
	if err := tx.InsertBundleCourses(ctx, b.ID, courseIDs); err != nil {
		return Bundle{}, err
	}
	return readBundle(ctx, tx, b.ID)
}

// lockCourses locks the courses that a bundle is to have, so that none is deleted meanwhile: a
// deletion comes before, or sees the bundle. They are locked in the order of their ids, so that two
// transactions do not wait for each other. Error: [catalog.ErrCourseNotFound].
func lockCourses(ctx context.Context, tx catalog.LockTx, ids []string) error {
	for _, id := range slices.Sorted(slices.Values(ids)) {
		if err := catalog.LockCourse(ctx, tx, id); err != nil {
			return err
		}
	}
	return nil
}

// educatorOf returns the educator of courses that are locked, "" if they have several. It returns
// [core.ErrForbidden] if the actor may not put one of them into a bundle.
func educatorOf(
	ctx context.Context, tx catalog.CourseReader, actor core.Actor, courseIDs []string,
) (educatorID string, err error) {
	courses, err := tx.CoursesByID(ctx, courseIDs)
	if err != nil {
		return "", err
	}
	educatorID = courses[0].Educator.ID
	for _, c := range courses {
		if actor.Role != core.Admin && c.Educator.ID != actor.UserID {
			return "", core.ErrForbidden
		}
		if c.Educator.ID != educatorID {
			educatorID = ""
		}
	}
	return educatorID, nil
}

// Edit is a change of a bundle. What is nil stays as it is.
type Edit struct {
	Version     int64 // of the bundle that the editor has read: see [Bundle]
	Title       *string
	Description *string
	CourseIDs   []string // all of the new ones, each once
	Price       *core.Money
	Prices      *[]catalog.Price // all of the new ones; an empty list removes them
	Discount    *core.Percent
	Published   *bool
}

// apply returns b after the edit, except for its courses. Error: [core.ErrInvalidRequest].
func (e Edit) apply(b Bundle, courses *catalog.ForRooms) (Bundle, error) {
	set(&b.Title, e.Title)
	set(&b.Description, e.Description)
	set(&b.Price, e.Price)
	set(&b.Prices, e.Prices)
	set(&b.Discount, e.Discount)
	set(&b.Published, e.Published)
	err := b.checkTexts()
	// A price that is stored stays, also if a provider takes it no more.
	if e.Price != nil || e.Discount != nil {
		err = cmp.Or(err, courses.CheckPrice("price", b.Price, b.Discount))
	}
	if e.Prices != nil {
		err = cmp.Or(err, courses.CheckPrices("price", b.Prices))
	}
	if e.CourseIDs != nil {
		err = cmp.Or(err, checkCourseIDs(e.CourseIDs))
	}
	return b, err
}

// set sets *field to *value if there is a value.
func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// Edit changes a bundle, for the educator of its courses and admins, and returns it. Of two
// concurrent edits of one version, one gets [ErrBundleChanged]. An edit that changes nothing leaves
// the version as it is. Open orders keep what they were opened for. A bundle with courses of
// several educators, which an admin has made, is changed by admins only.
//
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], also for a course of another educator,
// [core.ErrInvalidRequest], [ErrBundleNotFound], [catalog.ErrCourseNotFound], [ErrBundleChanged].
func (s *Service) Edit(
	ctx context.Context, actor core.Actor, id string, e Edit,
) (edited Bundle, err error) {
	// The bundle is read again after the locks. Here its failures come before those of courses.
	if _, err := s.editable(ctx, actor, id); err != nil {
		return Bundle{}, err
	}
	if e.CourseIDs != nil {
		if err := checkCourseIDs(e.CourseIDs); err != nil {
			return Bundle{}, err
		}
	}
	err = s.base.InTx(ctx, func(tx Tx) (err error) {
		edited, err = s.applyEdit(ctx, tx, actor, id, e)
		return err
	})
	return edited, core.Wrap("edit a bundle", err)
}

// editable returns a bundle that the actor may change. Errors: [core.ErrUnauthenticated],
// [core.ErrForbidden], [ErrBundleNotFound].
func (s *Service) editable(ctx context.Context, actor core.Actor, id string) (Bundle, error) {
	if err := actor.RequireRole(core.Educator, core.Admin); err != nil {
		return Bundle{}, err
	}
	b, err := readBundle(ctx, s.store, id)
	if err == nil {
		err = b.mayEdit(actor)
	}
	return b, err
}

// applyEdit is the transaction of Edit.
func (s *Service) applyEdit(
	ctx context.Context, tx Tx, actor core.Actor, id string, e Edit,
) (Bundle, error) {
	// Lock the new courses and the bundle, read, and apply the edit, if the bundle is still the one
	// that the editor has read.
	if err := lockCourses(ctx, tx, e.CourseIDs); err != nil {
		return Bundle{}, err
	}
	old, err := lockBundle(ctx, tx, actor, id)
	if err == nil && old.Version != e.Version {
		err = ErrBundleChanged
	}
	if err != nil {
		return Bundle{}, err
	}
	edited, err := e.apply(old, s.catalog)
	if err != nil {
		return Bundle{}, err
	}
	hasNewCourses := e.CourseIDs != nil && !slices.Equal(e.CourseIDs, old.courseIDs())
	if hasNewCourses {
		if edited.EducatorID, err = educatorOf(ctx, tx, actor, e.CourseIDs); err != nil {
			return Bundle{}, err
		}
	}
	if !hasNewCourses && reflect.DeepEqual(edited, old) {
		return old, nil
	}

	// Store the bundle with its courses, and read it with their titles.
	edited.UpdatedAt = s.base.Now()
	updated, err := tx.UpdateBundle(ctx, edited)
	if err == nil && !updated { // only a precaution: the version was compared, holding the lock
		err = ErrBundleChanged
	}
	if err != nil {
		return Bundle{}, err
	}
	if hasNewCourses {
		if err := tx.DeleteBundleCourses(ctx, id); err != nil {
			return Bundle{}, err
		}
		if err := tx.InsertBundleCourses(ctx, id, e.CourseIDs); err != nil {
			return Bundle{}, err
		}
	}
	return readBundle(ctx, tx, id)
}

// lockBundle locks a bundle that the actor may change until the end of the transaction, and reads
// it. No read may come before it in the transaction. Errors: [core.ErrForbidden],
// [ErrBundleNotFound].
func lockBundle(ctx context.Context, tx Tx, actor core.Actor, id string) (Bundle, error) {
	found, err := tx.LockBundle(ctx, id)
	if err == nil && !found {
		err = ErrBundleNotFound
	}
	if err != nil {
		return Bundle{}, err
	}
	b, err := readBundle(ctx, tx, id)
	if err == nil {
		err = b.mayEdit(actor)
	}
	return b, err
}

// SetThumbnail replaces the thumbnail of a bundle, for the educator of its courses and admins, and
// returns its name in the media store. The image must be as that of a course. Of concurrent calls
// the last one wins. The version of the bundle grows by one. Errors: [core.ErrUnauthenticated],
// [core.ErrForbidden], [ErrBundleNotFound], [file.ErrThumbnailMissing],
// [file.ErrThumbnailRefused], [file.ErrThumbnailBusy], [file.ErrMediaNotConfigured].
func (s *Service) SetThumbnail(
	ctx context.Context, actor core.Actor, id string, image []byte,
) (name string, err error) {
	if _, err := s.editable(ctx, actor, id); err != nil {
		return "", err
	}

	// Store the file, then let the bundle use it, and remove the one that it had.
	if name, err = s.files.StoreThumbnail(ctx, image); err != nil {
		return "", err
	}
	var old Bundle
	err = s.base.InTx(ctx, func(tx Tx) (err error) {
		if old, err = lockBundle(ctx, tx, actor, id); err != nil {
			return err
		}
		now := s.base.Now()
		if err := file.ReplaceThumbnail(ctx, tx, old.Thumbnail, name, now); err != nil {
			return err
		}
		return tx.SetBundleThumbnail(ctx, id, name, now)
	})
	if err != nil {
		s.files.DiscardThumbnail(ctx, name, err)
		return "", core.Wrap("set the thumbnail of a bundle", err)
	}
	s.files.RemoveUnusedFile(ctx, old.Thumbnail)
	return name, nil
}

// Delete deletes a bundle with its thumbnail, for the educator of its courses and admins. The
// courses stay, and open orders for it can still be paid. Errors: [core.ErrUnauthenticated],
// [core.ErrForbidden], [ErrBundleNotFound].
func (s *Service) Delete(ctx context.Context, actor core.Actor, id string) error {
	if _, err := s.editable(ctx, actor, id); err != nil {
		return err
	}
	var deleted Bundle
	err := s.base.InTx(ctx, func(tx Tx) (err error) {
		if deleted, err = lockBundle(ctx, tx, actor, id); err != nil {
			return err
		}
		const noThumbnail = ""
		if err := file.ReplaceThumbnail(ctx, tx, deleted.Thumbnail, noThumbnail,
			s.base.Now()); err != nil {
			return err
		}
		if err := tx.DeleteBundleCourses(ctx, id); err != nil {
			return err
		}
		return tx.DeleteBundle(ctx, id)
	})
	if err != nil {
		return core.Wrap("delete a bundle", err)
	}
	s.files.RemoveUnusedFile(ctx, deleted.Thumbnail)
	return nil
}
