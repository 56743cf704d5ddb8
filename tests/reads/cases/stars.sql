-- case: a final star is a pass-through, not a read
-- dialect: duckdb
-- schema: raw.users(id, name)
-- reads:
-- outputs: *id <- raw.users.id; *name <- raw.users.name
select * from raw.users

-- case: a final star over an unknown table
-- dialect: duckdb
-- reads:
-- outputs: ** <- raw.users.*
select * from raw.users

-- case: a name through a star is read on the line that writes it
-- dialect: snowflake
-- reads: raw.orders.amount@5 raw.orders.status@6
with source as (
  select * from raw.orders
),
final as (
  select amount as eur from source
  where status = 'paid'
)
select * from final

-- case: exclude names are read
-- dialect: snowflake
-- reads: t.a t.b
-- outputs: ** <- t.*
select * exclude (a, b) from t

-- case: except with a known schema
-- dialect: bigquery
-- schema: t(a, b, c)
-- reads: t.a
-- outputs: *b <- t.b; *c <- t.c
select * except (a) from t

-- case: replace reads its name and its expression
-- dialect: bigquery
-- schema: t(a, b)
-- reads: t.a t.b
-- outputs: a <- t.b; *b <- t.b
select * replace (upper(b) as a) from t

-- case: rename is followed by the new name
-- dialect: snowflake
-- schema: t(a, b)
-- reads: t.a
-- outputs: z <- t.a
with s as (select * rename (a as z) from t) select z from s

-- case: an excluded name does not come through
-- dialect: duckdb
-- reads: t.a t.b
with s as (select * exclude (a) from t) select b from s

-- case: alias star of one side only
-- dialect: postgres
-- reads: u.id o.user_id o.amount
-- outputs: ** <- u.*; amount <- o.amount
select u.*, o.amount from u join o on o.user_id = u.id

-- case: star of a join is offered to both sides
-- dialect: postgres
-- reads: a.k b.k a.x? b.x?
with j as (select * from a join b on a.k = b.k) select x from j

-- case: star of a join with known columns
-- dialect: postgres
-- schema: a(k, x); b(k, y)
-- reads: a.k b.k b.y
with j as (select * from a join b on a.k = b.k) select y from j

-- case: star of one side known to have it
-- dialect: postgres
-- schema: a(k, x)
-- reads: a.k b.k a.x
with j as (select * from a join b on a.k = b.k) select x from j

-- case: an explicit projection beside a star ends the way
-- dialect: snowflake
-- reads: t.a t.b
-- outputs: flag <- t.a; b <- t.b
with s as (select *, case when a then 1 end as flag from t) select flag, b from s

-- case: count star reads nothing
-- dialect: duckdb
-- reads:
-- outputs: n <-
select count(*) as n from t

-- case: count of a row reads nothing by name
-- dialect: postgres
-- reads:
select count(t.*) as n from t

-- case: star in exists reads nothing
-- dialect: postgres
-- reads: a.id b.id
select a.id from a where exists (select * from b where b.id = a.id)

-- case: star under in needs one column
-- dialect: postgres
-- reads: a.id b.*
select a.id from a where a.id in (select * from b)

-- case: three stars deep
-- dialect: redshift
-- reads: t.id t.v
with a as (select * from t), b as (select * from a), c as (select * from b) select id from c where v > 1

-- case: qualified star in a subquery
-- dialect: duckdb
-- reads: customers.id
-- outputs: id <- customers.id
select q.id from (select c.* from customers c) q

-- case: columns pattern is a star
-- dialect: duckdb
-- schema: t(a, b)
-- reads: t.a
-- outputs: *a <- t.a
select columns('^a') from t

-- case: union of stars reads width
-- dialect: snowflake
-- reads: a.* b.*
select * from a union all select * from b

-- case: union of stars over one table shrinks together
-- dialect: snowflake
-- reads: a.x
-- outputs: ** <- a.*
select * from a union all select * from a where x > 1

-- case: second branch by position
-- dialect: duckdb
-- schema: a(p, q); b(r, s)
-- reads: a.* b.* a.q b.s!position
with u as (select * from a union all select * from b) select q from u

-- case: second branch by position without columns
-- dialect: duckdb
-- reads: a.* b.* a.q b.q!position
with u as (select * from a union all select * from b) select q from u

-- case: union by name
-- dialect: duckdb
-- reads: a.q b.q
with u as (select * from a union all by name select * from b) select q from u

-- case: cte column list over a star fixes the width
-- dialect: postgres
-- schema: t(a, b)
-- reads: t.* t.a!position
-- outputs: x <- t.a
with c(x, y) as (select * from t) select x from c

-- case: insert of a star fixes the width
-- dialect: postgres
-- reads: s.*
-- outputs: ** <- s.*
-- kind: insert
-- target: t
insert into t select * from s

-- case: whole row as a value
-- dialect: duckdb
-- schema: raw.users(id)
-- reads:
-- outputs: whole <- raw.users.*
select u as whole from raw.users u

-- case: field of a whole row kept by an aggregate
-- dialect: bigquery
-- schema: articles(id, name, body)
-- reads: articles.id articles.name
-- outputs: id <- articles.id, articles.name
select u.id from (select array_agg(o order by name desc limit 1)[offset(0)] u from articles o group by id)

-- case: field of arg_max of a row
-- dialect: duckdb
-- schema: t(a, ts, k)
-- reads: t.a t.ts t.k
select (arg_max(t, ts)).a from t group by k

-- case: star of a kept row
-- dialect: bigquery
-- schema: t(a, k)
-- reads: t.a t.k
-- outputs: *a <- t.a; *k <- t.k
select unique.* from (select array_agg(o order by a limit 1)[offset(0)] unique from t o group by k)

-- case: object of a whole row
-- dialect: snowflake
-- reads:
-- outputs: o <- t.*
select object_construct(*) as o from t

-- case: from first
-- dialect: duckdb
-- reads: raw.orders.id raw.orders.status
from raw.orders select id where status = 'paid'

-- case: from alone
-- dialect: duckdb
-- reads:
-- outputs: ** <- raw.fx.*
from raw.fx

-- case: star of a using join shows the key once
-- dialect: postgres
-- schema: a(k, x); b(k, y)
-- reads: a.k b.k
-- outputs: *k <- a.k; *x <- a.x; *y <- b.y
select * from a join b using (k)

-- case: semi join hides its columns
-- dialect: spark
-- schema: a(k, x); b(k, y)
-- reads: a.k b.k
-- outputs: *k <- a.k; *x <- a.x
select * from a left semi join b on a.k = b.k
