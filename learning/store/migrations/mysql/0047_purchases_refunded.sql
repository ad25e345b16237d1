-- refunded_amount is the sum of the processed refunds of a purchase, and pending_refunds of those whose outcome is not
-- known yet. The indexes of the reports have the refunded amount, too, so that revenue is read from them alone.
ALTER TABLE purchases
	ADD COLUMN refunded_amount BIGINT NOT NULL DEFAULT 0,
	ADD COLUMN pending_refunds BIGINT NOT NULL DEFAULT 0,
	DROP KEY purchases_by_status,
	ADD KEY purchases_by_status (status, completed_at, currency, amount, refunded_amount),
	DROP KEY purchases_by_course,
	ADD KEY purchases_by_course (status, course_id, currency, amount, refunded_amount);
