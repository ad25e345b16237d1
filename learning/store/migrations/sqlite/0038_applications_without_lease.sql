-- The lease of a review is in the table leases. holder stays: it is the review that was begun last and is not concluded,
-- which may have changed the role at the identity provider.
ALTER TABLE applications DROP COLUMN lease_until;
