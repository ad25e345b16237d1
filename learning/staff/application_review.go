package staff

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// Approve makes the applicant an educator. It takes the lease of the application, grants the role
// at the identity provider, and then stores the decision, so that the application stays pending if
// the grant fails. Every step can be repeated: after a crash the lease ends, and another approval
// completes the first one. An applicant who is an admin stays an admin.
//
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [ErrApplicationNotFound],
// [ErrOwnApplication], [ErrAlreadyApproved], [ErrAlreadyRejected], [ErrBeingReviewed],
// [people.ErrRolesNotConfigured]. A failure of the provider is an internal error.
func (s *Service) Approve(ctx context.Context, actor core.Actor, id string) error {
	if err := actor.RequireRole(core.Admin); err != nil {
		return err
	}
	return s.decide(ctx, actor, id, decision{status: people.ApplicationApproved})
}

// Reject rejects an application. The reason may be empty. If an approval was begun and not
// finished, Reject first restores the previous role of the user at the identity provider, or grants
// the role admin if the user was made an admin since. Errors: those of [Service.Approve], and
// [core.ErrInvalidRequest].
func (s *Service) Reject(ctx context.Context, actor core.Actor, id, reason string) error {
	if err := actor.RequireRole(core.Admin); err != nil {
		return err
	}
	if err := core.RequireText("reason", reason, 0, MaxRejectionReason); err != nil {
		return err
	}
	return s.decide(ctx, actor, id, decision{status: people.ApplicationRejected, reason: reason})
}

// decision is what an admin decides about an application.
type decision struct {
	status people.ApplicationStatus // approved or rejected
	reason string
}

// event returns the type of the event of the decision.
func (d decision) event() core.EventType {
	if d.status == people.ApplicationApproved {
		return EventApplicationApproved
	}
	return EventApplicationRejected
}

// The notifications of decisions on applications.
const (
	NotifyApplicationApproved core.NotificationKind = "application.approved"
	NotifyApplicationRejected core.NotificationKind = "application.rejected"
)

// notification returns the kind of the notification of the decision.
func (d decision) notification() core.NotificationKind {
	if d.status == people.ApplicationApproved {
		return NotifyApplicationApproved
	}
	return NotifyApplicationRejected
}

// The decisions on applications. An approval also makes the user an educator.
const (
	DecisionApplicationApproved core.DecisionKind = "application.approved"
	DecisionApplicationRejected core.DecisionKind = "application.rejected"
)

// kind returns the kind of the decision as it is listed.
func (d decision) kind() core.DecisionKind {
	if d.status == people.ApplicationApproved {
		return DecisionApplicationApproved
	}
	return DecisionApplicationRejected
}

// review is the review of an application by one call of decide.
type review struct {
	applicationID string
	decision      decision
	by            string     // who decides
	role          core.Role  // to be granted at the provider; "" if none is
	lease         core.Lease // held while the provider is called; zero if it is not
	isStored      bool       // whether the decision is stored
}

// reviewLease returns the name of the lease to review an application.
func reviewLease(applicationID string) string { return "application:" + applicationID }

// decide takes the lease of an application, grants the role of the decision at the provider, and
// stores the decision. A decision without a role needs no lease.
func (s *Service) decide(ctx context.Context, actor core.Actor, id string, d decision) error {
	// Find the applicant.
	a, err := s.store.Application(ctx, id)
	switch {
	case errors.Is(err, core.ErrNoRecord):
		return ErrApplicationNotFound
	case err != nil:
		return fmt.Errorf("read an application: %w", err)
	case a.UserID == actor.UserID:
		return ErrOwnApplication
	}

	// Take the lease, or store a decision that grants no role. The time limit is as long as the
	// lease and starts before it, so that it ends before the lease does: the provider is not called
	// while another review may hold the lease. The work continues if the caller cancels the
	// request, so that the decision follows the grant.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.base.Timeout+lease.Margin)
	defer cancel()
	r := review{applicationID: id, decision: d, by: actor.UserID}
	err = people.ChangeOfAccount(ctx, s.base, a.UserID, func(
		tx Tx, changes *core.Changes, before people.Account,
	) (people.Account, error) {
		return s.beginReview(ctx, tx, changes, before, &r)
	})

	// Grant the role, and store the decision. This is done twice if the applicant was made an admin
	// since the review began, because the grant may have replaced that role at the provider. If
	// endReview fails, the lease, if it is still held, ends by its time.
	for err == nil && !r.isStored {
		if err := s.people.GrantRole(ctx, a.UserID, r.role); err != nil {
			// Without the lease the next review can begin at once.
			return errors.Join(err, s.base.Leases.Release(ctx, r.lease))
		}
		err = people.ChangeOfAccount(ctx, s.base, a.UserID,
			func(tx Tx, changes *core.Changes, before people.Account) (people.Account, error) {
				return s.endReview(ctx, tx, changes, before, &r)
			})
	}
	return core.Wrap("decide on an application", err)
}

// beginReview decides whether r may begin, in a transaction that has locked the account. It stores
// the lease and the beginning of the review, or the decision if that grants no role, and sets the
// role of r, and its lease or isStored. It returns the account after the decision; the beginning of
// a review changes nothing that the totals count. Errors: those of decideReview,
// [people.ErrRolesNotConfigured], and [core.ErrDuplicate] if ChangeOfAccount must run the
// transaction again, such as when a concurrent review has taken the lease first.
func (s *Service) beginReview(
	ctx context.Context, tx Tx, changes *core.Changes, before people.Account, r *review,
) (after people.Account, err error) {
	// Read the rest of the state, and decide.
	held, err := tx.Lease(ctx, reviewLease(r.applicationID))
	if err != nil {
		return before, err
	}
	now := s.base.Now()
	if err := decideReview(before, r.applicationID, held, now); err != nil {
		return before, err
	}

	// Keep the role that a later rejection restores, if no earlier review has begun to change it.
	// Without a stored role, it is the one that the application came with.
	a, stored := before.Application, before.RoleAssignment.Role
	if r.decision.status == people.ApplicationApproved && a.ReviewID == "" && stored != "" {
		a.PreviousRole = stored
	}
	r.role = roleToGrant(a, stored, r.decision.status)

	// Store the decision, or the lease and the beginning of the review. isStored is set in each
	// run, because the transaction may have run before and decided otherwise.
	r.isStored = r.role == ""
	if r.isStored {
		return s.storeDecision(ctx, tx, changes, before, r)
	}
	if !s.people.GrantsRoles() {
		return before, people.ErrRolesNotConfigured
	}
	r.lease = s.base.Leases.New(reviewLease(a.ID), s.base.Timeout) // New adds lease.Margin
	a.ReviewID = r.lease.Holder
	if err := lease.Acquire(ctx, tx, held, r.lease, now); err != nil {
		return before, err
	}
	begun, err := tx.UpdateApplication(ctx, before.Application, a)
	if err == nil && !begun {
		// Another call has changed the application since it was read, which is possible if the
		// applicant has no record to lock. ErrDuplicate makes the transaction run again.
		err = fmt.Errorf("begin a review: %w", core.ErrDuplicate)
	}
	return before, err
}

// decideReview returns nil if the review of an application may begin:
//
//	application            lease            result
//	deleted with the user  any              ErrApplicationNotFound
//	approved               any              ErrAlreadyApproved
//	rejected               any              ErrAlreadyRejected
//	pending                not expired      ErrBeingReviewed
//	pending                expired or zero  nil
func decideReview(a people.Account, applicationID string, held core.Lease, now time.Time) error {
	switch {
	case a.Application.ID != applicationID: // deleted: the account has none
		return ErrApplicationNotFound
	case a.Application.Status == people.ApplicationApproved:
		return ErrAlreadyApproved
	case a.Application.Status == people.ApplicationRejected:
		return ErrAlreadyRejected
	case !held.Expired(now):
		return ErrBeingReviewed
	}
	return nil
}

// roleToGrant returns the role that a decision on an application grants at the provider, or "" for
// none. stored is the role that is stored for the applicant, "" for none; previous is
// a.PreviousRole. An admin stays an admin. If an earlier review was begun, it may have granted
// another role at the provider, also after the applicant was made an admin, so the right role is
// granted once more.
//
//	decision  stored     previous   begun before  role
//	approve   admin      any        yes           admin
//	approve   admin      any        no            none
//	approve   any other  admin      any           none
//	approve   any other  any other  any           educator
//	reject    any        any        no            none
//	reject    admin      any        yes           admin
//	reject    any other  any        yes           previous
func roleToGrant(a people.Application, stored core.Role,
	decided people.ApplicationStatus) core.Role {
	approves, isBegun := decided == people.ApplicationApproved, a.ReviewID != ""
	switch {
	case approves && stored == core.Admin && isBegun:
		return core.Admin
	case approves && stored == core.Admin:
		return ""
	case approves && a.PreviousRole == core.Admin:
		return ""
	case approves:
		return core.Educator
	case !isBegun:
		return ""
	case stored == core.Admin:
		return core.Admin
	}
	return core.ParseRole(string(a.PreviousRole)) // Student if none is stored
}

// endReview stores the decision of r and its role, in a transaction that has locked the Account,
// and releases the lease. If the applicant was made an admin, it stores nothing and sets the role
// of r to admin instead, so that the caller grants that role and calls endReview again. Errors:
// [ErrBeingReviewed] if r does not hold its lease any more, those of decideReview, and
// [core.ErrDuplicate] if ChangeOfAccount must run the transaction again.
func (s *Service) endReview(
	ctx context.Context, tx Tx, changes *core.Changes, before people.Account, r *review,
) (after people.Account, err error) {
	r.isStored = false // the transaction may have run before
	// Only the holder of the lease decides. Release below checks the lease, so decideReview gets
	// the zero Lease, which counts as expired.
	err = decideReview(before, r.applicationID, core.Lease{}, s.base.Now())
	if err == nil && before.Application.ReviewID != r.lease.Holder {
		err = ErrBeingReviewed
	}
	if err != nil {
		return before, err
	}
	wasMadeAdmin := before.RoleAssignment.Role == core.Admin && r.role != core.Admin
	if wasMadeAdmin {
		r.role = core.Admin
		return before, nil
	}
	if err := lease.Release(ctx, tx, r.lease); err != nil {
		if errors.Is(err, lease.ErrLost) {
			err = ErrBeingReviewed
		}
		return before, err
	}

	// Store the decision, and the role that was granted.
	if after, err = s.storeDecision(ctx, tx, changes, before, r); err != nil {
		return before, err
	}
	after.RoleAssignment, err = people.AssignRole(ctx, tx, before.Application.UserID,
		before.RoleAssignment,
		s.people.NewAssignment(r.role, before.AccountState))
	r.isStored = err == nil
	return after, err
}

// storeDecision stores the decision of r with its event, and returns the account with it. It
// returns [core.ErrDuplicate] if ChangeOfAccount must run the transaction again.
func (s *Service) storeDecision(
	ctx context.Context, tx Tx, changes *core.Changes, before people.Account, r *review,
) (after people.Account, err error) {
	after = before
	after.Application.Status = r.decision.status
	after.Application.RejectionReason = r.decision.reason
	after.Application.UpdatedAt = s.base.Now()
	after.Application.ReviewID = ""
	addApplicationEvent(changes, r.decision.event(), after.Application)
	changes.Notify("", core.Notification{ // nobody decides on an own application
		Kind:     r.decision.notification(),
		ReaderID: after.Application.UserID,
		Thing:    after.Application.ID,
	})
	changes.Decide(core.Decision{
		Kind:        r.decision.kind(),
		ActorID:     r.by,
		UserID:      after.Application.UserID,
		Reason:      r.decision.reason,
		DecisionIDs: core.DecisionIDs{ApplicationID: after.Application.ID},
	})
	decided, err := tx.UpdateApplication(ctx, before.Application, after.Application)
	if err == nil && !decided {
		// Another call has changed the application since it was read, which is possible if the
		// applicant has no record to lock. ErrDuplicate makes the transaction run again.
		err = fmt.Errorf("store the decision on an application: %w", core.ErrDuplicate)
	}
	return after, err
}
