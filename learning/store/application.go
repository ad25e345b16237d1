package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

type applicationRow struct {
	ID                string                   `db:"id"`
	UserID            string                   `db:"user_id"`
	ProfessionalTitle string                   `db:"professional_title"`
	Bio               string                   `db:"bio"`
	Expertise         []byte                   `db:"expertise"` // JSON array of strings
	LinkedinURL       string                   `db:"linkedin_url"`
	Status            people.ApplicationStatus `db:"status"`
	RejectionReason   string                   `db:"rejection_reason"`
	CreatedAt         timestamp                `db:"created_at"`
	UpdatedAt         timestamp                `db:"updated_at"`
	PreviousRole      core.Role                `db:"previous_role"`
	Holder            optionalKey              `db:"holder"` // the id of a review
}

const selectApplications = `
	SELECT id, user_id, professional_title, bio, expertise, linkedin_url, status, rejection_reason,
		created_at, updated_at, holder, previous_role
	FROM {applications}`

func (r reader) Application(ctx context.Context, id string) (people.Application, error) {
	return r.application(ctx, "read an application", ` WHERE id = ?`, id)
}

// ApplicationOf reads the application of a user: there is one at most.
func (r reader) ApplicationOf(ctx context.Context, userID string) (people.Application, error) {
	return r.application(ctx, "read a user's application", ` WHERE user_id = ?`, userID)
}

// application reads the application that where selects. where has id as its only argument, which
// may be the id of a user.
func (r reader) application(
	ctx context.Context, action, where, id string,
) (people.Application, error) {
	var row applicationRow
	if err := r.q.Get(ctx, action, &row, selectApplications+where, key(id)); err != nil {
		return people.Application{}, err
	}
	return row.application()
}

// Applications lists the applications with a status, or with any if it is "", the newest first.
func (r reader) Applications(
	ctx context.Context, status people.ApplicationStatus, page core.PageRequest,
) ([]people.Application, error) {
	var f filter
	index := "applications_by_creation"
	if status != "" {
		index = "applications_by_status"
		f.add(`status = ?`, key(status))
	}
	clauses, args := r.engine().pageClauses(f,
		order{columns: []string{"created_at", "id"}, descending: true}, page)
	var rows []applicationRow
	err := r.q.List(ctx, "list the applications", &rows,
		selectApplications+r.engine().pageHint(index, page)+clauses, args...)
	if err != nil {
		return nil, err
	}
	list := make([]people.Application, len(rows))
	for i := range rows {
		if list[i], err = rows[i].application(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (r *applicationRow) application() (people.Application, error) {
	a := people.Application{
		ID:                r.ID,
		UserID:            r.UserID,
		ProfessionalTitle: r.ProfessionalTitle,
		Bio:               r.Bio,
		LinkedinURL:       r.LinkedinURL,
		Status:            r.Status,
		RejectionReason:   r.RejectionReason,
		CreatedAt:         r.CreatedAt.Time(),
		UpdatedAt:         r.UpdatedAt.Time(),
		ReviewID:          string(r.Holder),
		PreviousRole:      r.PreviousRole,
	}
	if err := json.Unmarshal(r.Expertise, &a.Expertise); err != nil {
		return people.Application{}, fmt.Errorf("parse an application's expertise: %w", err)
	}
	return a, nil
}

// formatExpertise returns the text of the column expertise.
func formatExpertise(list []string) (string, error) {
	text, err := json.Marshal(append([]string{}, list...)) // [] for nil, not null
	if err != nil {
		return "", fmt.Errorf("format an application's expertise: %w", err)
	}
	return string(text), nil
}

// InsertApplication returns ErrDuplicate if the user has an application.
func (t *tx) InsertApplication(ctx context.Context, a people.Application) error {
	expertise, err := formatExpertise(a.Expertise)
	if err != nil {
		return err
	}
	return t.Insert(ctx, "insert an application", `
		INSERT INTO {applications} (id, user_id, professional_title, bio, expertise, linkedin_url,
			status, rejection_reason, created_at, updated_at, holder, previous_role)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(a.ID), key(a.UserID), a.ProfessionalTitle, a.Bio, expertise, a.LinkedinURL,
		string(a.Status), a.RejectionReason,
		timestamp(a.CreatedAt), timestamp(a.UpdatedAt), optionalKey(a.ReviewID),
		string(a.PreviousRole))
}

// UpdateApplication stores after. It changes nothing, and returns false, if the status, the review
// or the time of change is no longer that of before. The column holder is the id of the review.
func (t *tx) UpdateApplication(
	ctx context.Context, before, after people.Application,
) (bool, error) {
	expertise, err := formatExpertise(after.Expertise)
	if err != nil {
		return false, err
	}
	return t.Update(ctx, "update an application", `
		UPDATE {applications} SET status = ?, professional_title = ?, bio = ?, expertise = ?,
			linkedin_url = ?, rejection_reason = ?, updated_at = ?, holder = ?, previous_role = ?
		WHERE id = ? AND status = ? AND updated_at = ? AND COALESCE(holder, '') = ?`,
		string(after.Status), after.ProfessionalTitle, after.Bio, expertise, after.LinkedinURL,
		after.RejectionReason, timestamp(after.UpdatedAt), optionalKey(after.ReviewID),
		string(after.PreviousRole),
		key(before.ID), string(before.Status), timestamp(before.UpdatedAt), key(before.ReviewID))
}

// DeleteApplication is no error if there is none.
func (t *tx) DeleteApplication(ctx context.Context, userID string) error {
	_, err := t.Update(ctx, "delete an application", `DELETE FROM {applications} WHERE user_id = ?`,
		key(userID))
	return err
}
