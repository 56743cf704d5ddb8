IF OBJECT_ID('raw.regions', 'U') IS NULL CREATE TABLE raw.regions (region_id INT);
