package store

import (
	"context"

	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

type reviewRow struct {
	ID         string    `db:"review_id"`
	CourseID   string    `db:"course_id"`
	EducatorID string    `db:"educator_id"`
	UserID     string    `db:"user_id"`
	Name       *string   `db:"name"` // nil if there is no user
	ImageURL   *string   `db:"image_url"`
	DeletedAt  timestamp `db:"deleted_at"`
	Stars      int       `db:"stars"`
	Text       string    `db:"review"`
	CreatedAt  timestamp `db:"reviewed_at"`
	Answer     string    `db:"answer"`
	AnsweredAt timestamp `db:"answered_at"`
}

// selectReviews selects reviews. index is a hint to the table of the ratings, or "".
func selectReviews(index string) string {
	return `
	SELECT r.review_id, r.course_id, r.educator_id, r.user_id, u.name, u.image_url, u.deleted_at, r.stars,
		COALESCE(r.review, '') AS review, r.reviewed_at, COALESCE(r.answer, '') AS answer,
		r.answered_at
	FROM {ratings} r` + index + ` LEFT JOIN {users} u ON u.id = r.user_id`
}

func (r *reviewRow) review() community.Review {
	return community.Review{
		ID:         r.ID,
		CourseID:   r.CourseID,
		EducatorID: r.EducatorID,
		Author:     person(r.UserID, r.Name, r.ImageURL, r.DeletedAt),
		Stars:      r.Stars,
		Text:       r.Text,
		CreatedAt:  r.CreatedAt.Time(),
		Answer:     r.Answer,
		AnsweredAt: r.AnsweredAt.Time(),
	}
}

func (r reader) Review(ctx context.Context, id string) (community.Review, error) {
	const noHint = ""
	var row reviewRow
	err := r.q.Get(ctx, "read a review", &row, selectReviews(noHint)+` WHERE r.review_id = ?`,
		key(id))
	if err != nil {
		return community.Review{}, err
	}
	return row.review(), nil
}

// reviewList returns an order of the reviews of a course, and the index that has it.
func reviewList(by community.ReviewOrder) (o order, index string) {
	if by == community.BestReviews || by == community.WorstReviews {
		return order{columns: []string{"r.stars", "r.review_id"}, byNumber: true,
			descending: by == community.BestReviews}, "ratings_with_review_by_stars"
	}
	return order{columns: []string{"r.reviewed_at", "r.review_id"}, descending: true},
		"ratings_with_review"
}

func (r reader) Reviews(
	ctx context.Context, courseID string, by community.ReviewOrder, page core.PageRequest,
) ([]community.Review, error) {
	o, index := reviewList(by)
	var f filter
	f.add(`r.course_id = ?`, key(courseID))
	f.add(`r.is_reviewed = 1`)
	tail, limit := r.engine().addPage(&f, o, page)
	var rows []reviewRow
	err := r.q.List(ctx, "list reviews", &rows,
		selectReviews(r.engine().ForceIndex(index))+f.where()+tail, append(f.args, limit)...)
	list := make([]community.Review, len(rows))
	for i := range rows {
		list[i] = rows[i].review()
	}
	return list, err
}

func (r reader) TaughtReviews(
	ctx context.Context, educatorID string, q community.ToAnswer, page core.PageRequest,
) ([]community.Review, error) {
	f, index := toAnswer(educatorID, q, "r", "reviews_of_educator", "reviews_of_course")
	o, _ := reviewList(community.NewestReviews)
	tail, limit := r.engine().addPage(&f, o, page)
	var rows []reviewRow
	err := r.q.List(ctx, "list the reviews of an educator's courses", &rows,
		selectReviews(r.engine().ForceIndex(index))+f.where()+tail, append(f.args, limit)...)
	list := make([]community.Review, len(rows))
	for i := range rows {
		list[i] = rows[i].review()
	}
	return list, err
}

func (r reader) ReviewsBy(ctx context.Context, userID string) ([]community.Review, error) {
	const noHint = ""
	var rows []reviewRow
	err := r.q.List(ctx, "list the reviews of a user", &rows,
		selectReviews(noHint)+` WHERE r.user_id = ? AND r.is_reviewed = 1 ORDER BY r.course_id`,
		key(userID))
	list := make([]community.Review, len(rows))
	for i := range rows {
		list[i] = rows[i].review()
	}
	return list, err
}

func (r reader) RatingCounts(
	ctx context.Context, courseID string,
) (counts [community.MaxStars]int, err error) {
	var stars, number int
	err = r.q.Each(ctx, "read the numbers of ratings", []any{&stars, &number}, func() error {
		counts[stars-1] += number
		return nil
	}, `SELECT part, number FROM {totals} WHERE course_id = ? AND kind = 'ratings'`, key(courseID))
	return counts, err
}

func (t *tx) SetReview(
	ctx context.Context, of community.Rating, r community.Review,
) (bool, error) {
	return t.Update(ctx, "set a review", `
		UPDATE {ratings}
		SET review_id = ?, is_reviewed = 1, review = ?, reviewed_at = ?, educator_id = ?
		WHERE user_id = ? AND course_id = ? AND COALESCE(review_id, '') = ?`,
		storedKey(r.ID), r.Text, timestamp(r.CreatedAt), key(r.EducatorID), key(of.UserID),
		key(of.CourseID), key(of.ReviewID))
}

// LockReview is an UPDATE that changes nothing, which locks the row on every engine.
func (t *tx) LockReview(ctx context.Context, id string) error {
	_, err := t.Lock(ctx, "review", id, `UPDATE {ratings} SET stars = stars WHERE review_id = ?`)
	return err
}

func (t *tx) AnswerReview(ctx context.Context, r community.Review) (bool, error) {
	return t.Update(ctx, "answer a review",
		`UPDATE {ratings} SET answer = ?, answered_at = ? WHERE review_id = ?`,
		optionalText(r.Answer), optional(r.AnsweredAt), key(r.ID))
}

func (t *tx) RemoveReview(ctx context.Context, id string, isAnswered bool) (bool, error) {
	return t.Update(ctx, "remove a review", `
		UPDATE {ratings}
		SET review_id = NULL, is_reviewed = 0, review = NULL, reviewed_at = NULL, answer = NULL,
			answered_at = NULL, educator_id = ''
		WHERE review_id = ? AND is_answered = ?`, key(id), isAnswered)
}
