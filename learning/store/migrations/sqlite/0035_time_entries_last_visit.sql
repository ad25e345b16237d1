-- When the person was last at the place on that day: the statistics of a page show the path of its latest visit. NULL in
-- rows from before, of which only the day is known.
ALTER TABLE time_entries ADD COLUMN last_visit DATETIME NULL;
