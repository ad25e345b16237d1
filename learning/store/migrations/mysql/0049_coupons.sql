-- Coupons. percent_off and amount_off are in hundredths, and one of them is 0. course_id is NULL if the coupon is for
-- every course, and max_redemptions is NULL if there is no limit. redemptions is the number of the purchases with the
-- coupon that are open, completed or refunded.
CREATE TABLE IF NOT EXISTS coupons (
	id VARCHAR(64) NOT NULL,
	code VARCHAR(40) NOT NULL,
	percent_off BIGINT NOT NULL,
	amount_off BIGINT NOT NULL,
	course_id VARCHAR(64) NULL,
	starts_at DATETIME(6) NULL,
	ends_at DATETIME(6) NULL,
	max_redemptions BIGINT NULL,
	redemptions BIGINT NOT NULL,
	is_active TINYINT NOT NULL,
	created_at DATETIME(6) NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY coupons_by_code (code),
	KEY coupons_by_course (course_id),
	KEY coupons_by_creation (created_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
