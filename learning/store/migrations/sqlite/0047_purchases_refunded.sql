-- refunded_amount is the sum of the processed refunds of a purchase, and pending_refunds of those whose outcome is not
-- known yet. The indexes of the reports have the refunded amount, too, so that revenue is read from them alone.
ALTER TABLE purchases ADD COLUMN refunded_amount BIGINT NOT NULL DEFAULT 0;
ALTER TABLE purchases ADD COLUMN pending_refunds BIGINT NOT NULL DEFAULT 0;
DROP INDEX purchases_by_status;
CREATE INDEX purchases_by_status ON purchases (status, completed_at, currency, amount, refunded_amount);
DROP INDEX purchases_by_course;
CREATE INDEX purchases_by_course ON purchases (status, course_id, currency, amount, refunded_amount);
