package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/core"
)

// bundleJSON is several courses that are sold together (docs/api.md §22).
type bundleJSON struct {
	_ struct{} `doc:"Several courses that are sold together at one price."`

	ID          string             `json:"_id"`
	Title       string             `json:"title" doc:"Plain text. Escape it."`
	Description string             `json:"description" doc:"The description. It may hold HTML."`
	Thumbnail   string             `json:"thumbnail" doc:"The URL of the picture; empty if there is none."`
	Courses     []bundleCourseJSON `json:"courses" doc:"The courses, in the order of the bundle."`
	Price       decimal            `json:"price" doc:"Before the discount."`
	Prices      []priceJSON        `json:"prices,omitempty" doc:"The prices in other currencies, if there are any."`
	Discount    decimal            `json:"discount" doc:"In per cent, of each price."`
	Published   bool               `json:"isPublished" doc:"Whether everyone can see and buy it, as long as all courses are published and none has ended."`
	Version     int64              `json:"version" doc:"1 at first; each change adds one."`
	CreatedAt   instant            `json:"createdAt"`
}

// bundleCourseJSON is a course of a bundle.
type bundleCourseJSON struct {
	CourseID  string `json:"courseId"`
	Title     string `json:"courseTitle"`
	Thumbnail string `json:"thumbnail" doc:"The URL of the picture of the course."`
}

// bundleOf returns the wire shape of a bundle.
func (a *api) bundleOf(b bundle.Bundle) bundleJSON {
	return bundleJSON{
		ID:          b.ID,
		Title:       b.Title,
		Description: b.Description,
		Thumbnail:   a.platform.Files.MediaURL(b.Thumbnail),
		Courses: shaped(b.Courses, func(c bundle.Course) bundleCourseJSON {
			return bundleCourseJSON{CourseID: c.ID, Title: c.Title,
				Thumbnail: a.platform.Files.MediaURL(c.Thumbnail)}
		}),
		Price:     decimal(b.Price),
		Prices:    pricesOf(b.Prices),
		Discount:  decimal(b.Discount),
		Published: b.Published,
		Version:   b.Version,
		CreatedAt: instant(b.CreatedAt),
	}
}

type bundleAnswer struct {
	Bundle bundleJSON `json:"bundle"`
}

// oneBundle returns the answer with a bundle, unless there is an error.
func (a *api) oneBundle(b bundle.Bundle, err error) (bundleAnswer, error) {
	if err != nil {
		return bundleAnswer{}, err
	}
	return bundleAnswer{a.bundleOf(b)}, nil
}

// getBundle answers a bundle that is for sale.
func (a *api) getBundle(c *call, _ none) (bundleAnswer, error) {
	return a.oneBundle(a.platform.Bundles.Bundle(c.Context(), c.Param("id")))
}

type bundlesAnswer struct {
	Bundles []bundleJSON `json:"bundles" doc:"The newest first."`
	Next    *string      `json:"nextCursor" jsonschema:"nullable"`
}

// listBundles answers a page of the bundles that are for sale.
func (a *api) listBundles(c *call, _ none) (bundlesAnswer, error) {
	return a.bundlesPage(c, func(page core.PageRequest) (core.Page[bundle.Bundle], error) {
		return a.platform.Bundles.Published(c.Context(), page)
	})
}

// ownBundles answers a page of the bundles that the caller may change.
func (a *api) ownBundles(c *call, _ none) (bundlesAnswer, error) {
	return a.bundlesPage(c, func(page core.PageRequest) (core.Page[bundle.Bundle], error) {
		return a.platform.Bundles.Own(c.Context(), c.actor, page)
	})
}

// bundlesPage answers the page of bundles that the query asks for.
func (a *api) bundlesPage(c *call, read readPage[bundle.Bundle]) (bundlesAnswer, error) {
	rows, next, err := pageRows(c, read)
	return bundlesAnswer{Bundles: shaped(rows, a.bundleOf), Next: next.cursor}, err
}

type newBundleRequest struct {
	_ struct{} `doc:"A new bundle."`

	Title       string     `json:"title" jsonschema:"minLength=1,maxLength=200"`
	Description string     `json:"description,omitempty" jsonschema:"maxLength=20000" doc:"The description. It may hold HTML."`
	CourseIDs   []string   `json:"courseIds" jsonschema:"minItems=2,maxItems=50" doc:"The courses in their order, each once. They may be drafts."`
	Price       decimal    `json:"price" jsonschema:"minimum=0,maximum=10000000" jsonschema_extras:"x-number-or-text=true" doc:"The price before the discount. After it, it must be 0 or at least 1."`
	Prices      []newPrice `json:"prices,omitempty" jsonschema:"maxItems=200" doc:"Prices in other currencies."`
	Discount    decimal    `json:"discount,omitempty" jsonschema:"minimum=0,maximum=100" jsonschema_extras:"x-number-or-text=true" doc:"In per cent, of each price."`
	Published   *bool      `json:"isPublished,omitempty" doc:"Whether everyone can see and buy it. Without it: true."`
}

// createBundle adds a bundle, which is published unless the request says otherwise.
func (a *api) createBundle(c *call, in newBundleRequest) (bundleAnswer, error) {
	prices, err := pricesIn(in.Prices)
	if err != nil {
		return bundleAnswer{}, err
	}
	return a.oneBundle(a.platform.Bundles.Create(c.Context(), c.actor, bundle.NewBundle{
		Title:       in.Title,
		Description: in.Description,
		CourseIDs:   in.CourseIDs,
		Price:       core.Money(in.Price),
		Prices:      prices,
		Discount:    core.Percent(in.Discount),
		Published:   in.Published == nil || *in.Published,
	}))
}

// editBundleRequest has the fields of newBundleRequest, all of them optional.
type editBundleRequest struct {
	_ struct{} `doc:"A change of a bundle. Fields that are not sent stay as they are."`

	Version     int64       `json:"version" jsonschema:"minimum=1" jsonschema_extras:"x-number-or-text=true" doc:"The version of the bundle that the caller has read."`
	Title       *string     `json:"title,omitempty" jsonschema:"minLength=1,maxLength=200"`
	Description *string     `json:"description,omitempty" jsonschema:"maxLength=20000" doc:"The description. It may hold HTML."`
	CourseIDs   []string    `json:"courseIds,omitempty" jsonschema:"minItems=2,maxItems=50" doc:"All courses in their order, each once."`
	Price       *decimal    `json:"price,omitempty" jsonschema:"minimum=0,maximum=10000000" jsonschema_extras:"x-number-or-text=true" doc:"The price before the discount. After it, it must be 0 or at least 1."`
	Prices      *[]newPrice `json:"prices,omitempty" jsonschema:"maxItems=200" doc:"All prices in other currencies; an empty list removes them."`
	Discount    *decimal    `json:"discount,omitempty" jsonschema:"minimum=0,maximum=100" jsonschema_extras:"x-number-or-text=true" doc:"In per cent, of each price."`
	Published   *bool       `json:"isPublished,omitempty" doc:"Whether everyone can see and buy it."`
}

// editBundle changes a bundle, and answers it as it is now. What the request leaves out is nil, and
// stays as it is.
func (a *api) editBundle(c *call, in editBundleRequest) (bundleAnswer, error) {
	edit := bundle.Edit{
		Version:     in.Version,
		Title:       in.Title,
		Description: in.Description,
		CourseIDs:   in.CourseIDs,
		Price:       (*core.Money)(in.Price),
		Discount:    (*core.Percent)(in.Discount),
		Published:   in.Published,
	}
	if in.Prices != nil {
		prices, err := pricesIn(*in.Prices)
		if err != nil {
			return bundleAnswer{}, err
		}
		edit.Prices = &prices
	}
	return a.oneBundle(a.platform.Bundles.Edit(c.Context(), c.actor, c.Param("bundleId"), edit))
}

// deleteBundle deletes a bundle. The message is answered if there is no error.
func (a *api) deleteBundle(c *call, _ none) (messageAnswer, error) {
	return messageAnswer{"Bundle deleted"},
		a.platform.Bundles.Delete(c.Context(), c.actor, c.Param("bundleId"))
}

type bundleThumbnailAnswer struct {
	Thumbnail string `json:"thumbnail" doc:"The URL of the picture."`
}

// setBundleThumbnail replaces the picture of a bundle by that of a multipart form, the part image,
// and answers its URL.
func (a *api) setBundleThumbnail(w http.ResponseWriter, c *call) error {
	// The form has no other field. The platform refuses nil, which is a missing picture.
	_, image, err := c.readUpload(w)
	if err != nil {
		return err
	}
	name, err := a.platform.Bundles.SetThumbnail(c.Context(), c.actor, c.Param("bundleId"), image)
	if err != nil {
		return err
	}
	return c.writeSuccess(w, bundleThumbnailAnswer{a.platform.Files.MediaURL(name)})
}
