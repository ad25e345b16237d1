package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

type bundleRow struct {
	ID          string       `db:"id"`
	Title       string       `db:"title"`
	Description string       `db:"description"`
	Thumbnail   string       `db:"thumbnail"`
	Price       core.Money   `db:"price"`
	Prices      prices       `db:"prices"`
	Discount    core.Percent `db:"discount"`
	Published   bool         `db:"is_published"`
	EducatorID  string       `db:"educator_id"`
	Version     int64        `db:"version"`
	CreatedAt   timestamp    `db:"created_at"`
	UpdatedAt   timestamp    `db:"updated_at"`
}

const selectBundles = `
	SELECT b.id, b.title, b.description, b.thumbnail, b.price, b.prices, b.discount,
		b.is_published, b.educator_id, b.version, b.created_at, b.updated_at
	FROM {bundles} b`

// newestBundles is the order of lists.
var newestBundles = order{columns: []string{"b.created_at", "b.id"}, descending: true}

func (r *bundleRow) bundle() bundle.Bundle {
	return bundle.Bundle{
		ID:          r.ID,
		Title:       r.Title,
		Description: r.Description,
		Thumbnail:   r.Thumbnail,
		Price:       r.Price,
		Prices:      r.Prices,
		Discount:    r.Discount,
		Published:   r.Published,
		EducatorID:  r.EducatorID,
		Version:     r.Version,
		CreatedAt:   r.CreatedAt.Time(),
		UpdatedAt:   r.UpdatedAt.Time(),
	}
}

func (r reader) Bundle(ctx context.Context, id string) (bundle.Bundle, error) {
	var row bundleRow
	err := r.q.Get(ctx, "read a bundle", &row, selectBundles+` WHERE b.id = ?`, key(id))
	if err != nil {
		return bundle.Bundle{}, err
	}
	return row.bundle(), nil
}

func (r reader) Bundles(
	ctx context.Context, q bundle.Query, page core.PageRequest,
) ([]bundle.Bundle, error) {
	var f filter
	index := "bundles_by_creation"
	switch {
	case q.Published:
		index = "bundles_by_publication"
		f.add(`b.is_published = 1`)
	case q.EducatorID != "":
		index = "bundles_of_educator"
		f.add(`b.educator_id = ?`, key(q.EducatorID))
	}
	tail, limit := r.engine().addPage(&f, newestBundles, page)
	var rows []bundleRow
	err := r.q.List(ctx, "list bundles", &rows,
		selectBundles+r.engine().ForceIndex(index)+f.where()+tail, append(f.args, limit)...)
	list := make([]bundle.Bundle, len(rows))
	for i := range rows {
		list[i] = rows[i].bundle()
	}
	return list, err
}

// CoursesOfBundles reads those of idBatchSize bundles at a time.
func (r reader) CoursesOfBundles(
	ctx context.Context, bundleIDs []string,
) (list []bundle.Course, err error) {
	for chunk := range slices.Chunk(bundleIDs, idBatchSize) {
		var rows []struct {
			BundleID  string      `db:"bundle_id"`
			ID        string      `db:"id"`
			Title     string      `db:"title"`
			Thumbnail string      `db:"thumbnail"`
			Published bool        `db:"is_published"`
			Terms     storedTerms `db:"terms"`

			Price    core.Money   `db:"price"`
			Prices   prices       `db:"prices"`
			Discount core.Percent `db:"discount"`
		}
		err := r.q.List(ctx, "list the courses of bundles", &rows, `
			SELECT x.bundle_id, c.id, c.title, c.thumbnail, c.is_published, c.terms, c.price,
				c.prices, c.discount
			FROM {bundle_courses} x JOIN {courses} c ON c.id = x.course_id
			WHERE x.bundle_id IN (`+placeholders(idBatchSize)+`)
			ORDER BY x.bundle_id, x.position`, batchArgs(chunk)...)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			list = append(list, bundle.Course{
				BundleID:  row.BundleID,
				ID:        row.ID,
				Title:     row.Title,
				Thumbnail: row.Thumbnail,
				Published: row.Published,
				Terms:     row.Terms.terms(catalog.CertificateTerms{}),
				Price:     row.Price,
				Prices:    row.Prices,
				Discount:  row.Discount,
			})
		}
	}
	return list, nil
}

func (r reader) CountBundlesOf(ctx context.Context, educatorID string) (n int, err error) {
	err = r.q.Get(ctx, "count the bundles of an educator", &n,
		`SELECT COUNT(*) FROM {bundles} WHERE educator_id = ?`, key(educatorID))
	return n, err
}

func (r reader) CourseInBundle(ctx context.Context, courseID string) (bool, error) {
	return r.exists(ctx, "find out whether a course is in a bundle",
		`SELECT 1 FROM {bundle_courses} WHERE course_id = ? LIMIT 1`, key(courseID))
}

func (t *tx) InsertBundle(ctx context.Context, b bundle.Bundle) error {
	return t.Insert(ctx, "insert a bundle", `
		INSERT INTO {bundles} (id, title, description, thumbnail, price, prices, discount,
			is_published, educator_id, version, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)`,
		key(b.ID), b.Title, b.Description, b.Thumbnail, b.Price, prices(b.Prices), b.Discount,
		b.Published, key(b.EducatorID), timestamp(b.CreatedAt), timestamp(b.UpdatedAt))
}

func (t *tx) InsertBundleCourses(
	ctx context.Context, bundleID string, courseIDs []string,
) error {
	var args []any
	for i, courseID := range courseIDs {
		args = append(args, key(bundleID), key(courseID), i)
	}
	return t.InsertAll(ctx, "insert the courses of a bundle",
		`INSERT INTO {bundle_courses} (bundle_id, course_id, position) VALUES `+
			strings.TrimPrefix(strings.Repeat(`, (?, ?, ?)`, len(courseIDs)), `, `), args...)
}

// LockBundle is an UPDATE that changes nothing, which locks the row on every engine.
func (t *tx) LockBundle(ctx context.Context, id string) (bool, error) {
	return t.Lock(ctx, "bundle", id, `UPDATE {bundles} SET version = version WHERE id = ?`)
}

func (t *tx) UpdateBundle(ctx context.Context, b bundle.Bundle) (bool, error) {
	return t.Update(ctx, "update a bundle", `
		UPDATE {bundles} SET title = ?, description = ?, price = ?, prices = ?, discount = ?,
			is_published = ?, educator_id = ?, updated_at = ?, version = version + 1
		WHERE id = ? AND version = ?`,
		b.Title, b.Description, b.Price, prices(b.Prices), b.Discount, b.Published,
		storedKey(b.EducatorID), timestamp(b.UpdatedAt), key(b.ID), b.Version)
}

func (t *tx) SetBundleThumbnail(
	ctx context.Context, id, name string, at time.Time,
) error {
	return t.MustUpdate(ctx, "set the thumbnail of a bundle", `
		UPDATE {bundles} SET thumbnail = ?, updated_at = ?, version = version + 1
		WHERE id = ?`, name, timestamp(at), key(id))
}

func (t *tx) DeleteBundleCourses(ctx context.Context, bundleID string) error {
	_, err := t.Exec(ctx, "delete the courses of a bundle",
		`DELETE FROM {bundle_courses} WHERE bundle_id = ?`, key(bundleID))
	return err
}

func (t *tx) DeleteBundle(ctx context.Context, id string) error {
	return t.MustUpdate(ctx, "delete a bundle", `DELETE FROM {bundles} WHERE id = ?`, key(id))
}
