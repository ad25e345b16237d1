-- Coupons. percent_off and amount_off are in hundredths, and one of them is 0. course_id is NULL if the coupon is for
-- every course, and max_redemptions is NULL if there is no limit. redemptions is the number of the purchases with the
-- coupon that are open, completed or refunded.
CREATE TABLE coupons (
	id VARCHAR(64) NOT NULL,
	code VARCHAR(40) NOT NULL,
	percent_off BIGINT NOT NULL,
	amount_off BIGINT NOT NULL,
	course_id VARCHAR(64) NULL,
	starts_at DATETIME NULL,
	ends_at DATETIME NULL,
	max_redemptions BIGINT NULL,
	redemptions BIGINT NOT NULL,
	is_active TINYINT NOT NULL,
	created_at DATETIME NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX coupons_by_code ON coupons (code);
CREATE INDEX coupons_by_course ON coupons (course_id);
CREATE INDEX coupons_by_creation ON coupons (created_at, id);
