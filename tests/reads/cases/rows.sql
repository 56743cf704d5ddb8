-- dialect: postgres

-- case: whole row in a projection is a source of its output alone
-- reads: t.id
-- outputs: id <- t.id; j <- t.*
select o.id, to_jsonb(o.*) as j from t o

-- case: whole row in a filter
-- schema: t(id, a)
-- reads: t.id t.*
-- outputs: id <- t.id
select id from t o where md5(to_jsonb(o)::text) = 'x'

-- case: star in a grouping of a query in a filter
-- dialect: snowflake
-- reads: t.id s.*
select t.id from t where t.id in (select hash(*) from s)

-- case: filter on a column that a CTE computes from whole rows
-- dialect: snowflake
-- reads: t.id t.*
-- outputs: id <- t.id
with c as (select id, hash(*) as h from t) select id from c where h > 1

-- case: counting rows takes none
-- reads:
-- outputs: a <- ; b <-
select count(*) as a, count(o.*) as b from t o

-- case: counting rows without a NULL takes them whole
-- dialect: snowflake
-- reads:
-- outputs: b <- t.*
select count(o.*) as b from t o

-- case: counting distinct rows takes them whole
-- outputs: n <- t.*
select count(distinct (o.*)) as n from t o

-- case: whole row of a query in between
-- outputs: j <- t.a, t.b
with c as (select a, b from t) select to_jsonb(c) as j from c

-- case: field of a kept row in a filter is no whole row
-- dialect: bigquery
-- schema: t(a, k)
-- reads: t.a t.k
select u.a from (select array_agg(o order by a limit 1)[offset(0)] u from t o group by k) where u.k > 3
