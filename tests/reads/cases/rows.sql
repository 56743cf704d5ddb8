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

-- case: columns that a pattern picks
-- dialect: duckdb
-- schema: t(id, disc_a, disc_b, qty)
-- reads: t.id
-- outputs: id <- t.id; *disc_a <- t.disc_a; *disc_b <- t.disc_b
select id, columns('^disc') from t

-- case: the only column that a pattern picks is read
-- dialect: duckdb
-- schema: t(id, disc_a, qty)
-- reads: t.id t.disc_a
-- outputs: id <- t.id; *disc_a <- t.disc_a
select id, columns('(disc|rebate)_?a') from t

-- case: a pattern in an expression
-- dialect: clickhouse
-- schema: t(id, disc_a, qty)
-- outputs: s <- t.disc_a
select columns('disc') apply(sum) as s from t

-- case: a list of columns
-- dialect: duckdb
-- schema: t(id, a, b)
-- outputs: *id <- t.id; *b <- t.b
select columns(['id', 'b']) from t

-- case: a pattern over unknown columns
-- dialect: duckdb
-- reads: t.*?
-- outputs: m <- t.*?
select min(columns('disc')) as m from t where columns('x') > 0

-- case: a pattern that is not understood may pick any column
-- dialect: duckdb
-- schema: t(id, a)
-- outputs: ** <- t.*?
select columns('(a|b)*') from t

-- case: a function that picks columns may pick any
-- dialect: duckdb
-- schema: t(id, a)
-- outputs: ** <- t.*?
select columns(c -> c like 'a%') from t

-- case: natural join of unknown columns
-- schema: t(id, a)
-- reads: t.a t.*? u.*?
select t.a from t natural join u

-- case: natural join of known columns
-- schema: t(id, a); u(id, b)
-- reads: t.a t.id u.id
select t.a from t natural join u

-- case: unpivot of all but some columns
-- dialect: duckdb
-- schema: t(id, a, b)
-- reads: t.id t.*
-- outputs: id <- t.id; value <-
select id, value from (unpivot t on columns(* exclude (id)) into name name value value)

-- case: pivot groups by what it does not name
-- dialect: snowflake
-- schema: t(id, a, b)
-- reads: t.a t.b t.*
select * from t pivot (sum(a) for b in (1 as one))

-- case: pivot with a list of its own
-- dialect: duckdb
-- schema: t(id, a, b)
-- reads: t.a t.b t.id
select id from (pivot t on b using sum(a) group by id)

-- case: stream of a table
-- dialect: databricks
-- reads: shop.raw.t.a
-- relations: shop.raw.t
select a from stream(shop.raw.t)

-- case: stream without brackets
-- dialect: databricks
-- reads: shop.raw.t.a
-- relations: shop.raw.t
select s.a from stream shop.raw.t s

-- case: materialized view with data
-- kind: create_view
-- target: v
-- reads: t.a
create materialized view if not exists v as select avg(a) as a from t group by 1 with data

-- case: materialized view with no data
-- kind: create_view
-- target: v
-- reads: t.a
create materialized view v as select a from t with no data
