-- case: every clause has its name
-- dialect: snowflake
-- schema: t(a, b, c, d, e, f, g, h); u(k, m)
-- reads: t.a t.b t.c t.d t.e t.f t.g u.k u.m
select t.a, sum(t.b) over (partition by t.c order by t.d) as s
from t join u on t.e = u.k
where t.f > 1
group by all
having max(u.m) > 1
qualify row_number() over (partition by t.g order by t.a) = 1
order by t.a

-- case: comments and strings are no reads
-- dialect: duckdb
-- reads: raw.users.id raw.users.name
select id, 'email' as label /* country */ from raw.users -- score name
where name <> 'created_at'

-- case: case and between
-- dialect: postgres
-- reads: o.status o.amount o.lo o.hi
select case when o.status = 'paid' then o.amount else 0 end from o where o.amount between o.lo and o.hi

-- case: aggregate filter and order
-- dialect: postgres
-- reads: raw.orders.user_id raw.orders.note raw.orders.created_at raw.orders.status
select user_id, string_agg(note, ',' order by created_at) filter (where status = 'paid') as notes from raw.orders group by user_id

-- case: distinct on
-- dialect: postgres
-- reads: raw.orders.user_id raw.orders.amount raw.orders.created_at
select distinct on (user_id) user_id, amount from raw.orders order by user_id, created_at desc

-- case: grouping sets
-- dialect: trino
-- reads: u.country u.status
select country, count(*) as n from u group by grouping sets ((country), (status), ())

-- case: group by position
-- dialect: postgres
-- reads: u.country
-- outputs: country <- u.country; n <-
select country, count(*) as n from u group by 1 order by 2 desc

-- case: named window
-- dialect: postgres
-- reads: o.id o.amount o.user_id o.created_at
select id, sum(amount) over w as run from o window w as (partition by user_id order by created_at)

-- case: using reads both sides
-- dialect: postgres
-- reads: a.k b.k
select 1 from a join b using (k)

-- case: using key unqualified is both
-- dialect: postgres
-- reads: a.k b.k
-- outputs: k <- a.k, b.k
select k from a join b using (k)

-- case: using after a cross join with known columns
-- dialect: duckdb
-- schema: calendar(m_start, m_end); accounts(code, n); subs(code, sub)
-- reads: calendar.m_start calendar.m_end accounts.code subs.code subs.sub
with cal as (select m_start, m_end from calendar)
select cal.m_start, a.code, s.sub from accounts a cross join cal join subs s using (code)

-- case: natural join reads the shared columns
-- dialect: duckdb
-- schema: o(currency, amount); fx(currency, rate)
-- reads: o.currency fx.currency o.amount fx.rate
select amount, rate from o natural join fx

-- case: anti join using
-- dialect: duckdb
-- reads: o.currency fx.currency
select currency from o anti join fx using (currency)

-- case: asof join with match condition
-- dialect: snowflake
-- reads: a.t b.t a.k b.k a.id
select a.id from a asof join b match_condition(a.t >= b.t) on a.k = b.k

-- case: lateral view
-- dialect: spark
-- reads: t.a t.x
-- outputs: a <- t.a; y <-
select a, y from t lateral view explode(x) e as y

-- case: lateral flatten
-- dialect: snowflake
-- reads: t.items t.id
-- outputs: id <- t.id; v <-
select t.id, f.value:sku::string as v from t, lateral flatten(input => t.items) f

-- case: cross apply
-- dialect: tsql
-- schema: dbo.u(a, i)
-- reads: dbo.u.a dbo.u.i dbo.t.i
select q.a from dbo.t cross apply (select a from dbo.u where u.i = t.i) q

-- case: unnest with ordinality
-- dialect: trino
-- reads: t.arr t.a
select a, x, n from t cross join unnest(arr) with ordinality as u(x, n)

-- case: unnest of an array path
-- dialect: bigquery
-- schema: t(id, arr)
-- reads: t.id t.arr
select t.id, e.v from t, t.arr as e

-- case: redshift array path
-- dialect: redshift
-- reads: customers.c_orders customers.c_name
select c.c_name, o.x from customers c, c.c_orders o

-- case: array join
-- dialect: clickhouse
-- reads: t.arr t.a
select a, q from t array join arr as q

-- case: prewhere and scalar with
-- dialect: clickhouse
-- schema: t(x, a, z)
-- reads: t.x t.a t.z
with toDate(x) as d select a, d from t prewhere z = 1 where d > 1

-- case: limit by
-- dialect: clickhouse
-- reads: t.a t.b
select a from t limit 1 by b

-- case: in a table
-- dialect: clickhouse
-- reads: t.a u.*
-- relations: t u
select count() from t where a in u

-- case: connect by
-- dialect: oracle
-- reads: t.a t.b t.c
select a from t connect by prior a = b start with c is null

-- case: outer join marks
-- dialect: oracle
-- reads: t.i u.i u.v
select u.v from t, u where t.i = u.i(+)

-- case: dual is no relation
-- dialect: oracle
-- reads:
-- relations:
select 1 as one from dual

-- case: struct field without schema
-- dialect: duckdb
-- reads: raw.items.order_id raw.items.dims
select order_id, dims.w as width from raw.items

-- case: struct field qualified
-- dialect: duckdb
-- reads: raw.items.dims raw.items.sku
select i.dims.h, i.sku from raw.items i

-- case: struct field of a composite
-- dialect: postgres
-- reads: t.c
select (t.c).f from t

-- case: variant path
-- dialect: snowflake
-- reads: raw.events.payload
select e.payload:user.id::int as uid from raw.events e

-- case: json arrow
-- dialect: postgres
-- reads: e.payload e.k
select e.payload ->> 'id', e.payload -> e.k from e

-- case: schema qualified columns
-- dialect: duckdb
-- schema: s.a(id, n); s.b(id, k, m)
-- reads: s.a.id s.b.id s.b.k
select 1 as one from s.a join s.b on s.b.id = s.a.id join s.b as x on x.k = s.a.id

-- case: nested parentheses in from
-- dialect: postgres
-- reads: t1.k t2.k2 t2.v
with c as (select k from t1) select x.k as a, y.v as b from ((t2 as y join c as x on y.k2 = x.k))

-- case: parenthesised join with an alias
-- dialect: postgres
-- schema: a(i, x); b(j, y)
-- reads: a.i b.j b.y
select z.y from (a join b on a.i = b.j) z

-- case: lambda parameters
-- dialect: duckdb
-- reads: raw.items.tags raw.items.sku
select list_transform(tags, x -> x || sku) as l from raw.items

-- case: list comprehension
-- dialect: duckdb
-- reads: raw.items.tags raw.items.sku
select [x || sku for x in tags] as l from raw.items

-- case: date parts are no columns
-- dialect: snowflake
-- schema: t(x, a, b, c)
-- reads: t.x t.a t.b t.c
select dateadd(day, 1, x), datediff(month, a, b), date_trunc(week, c) from t

-- case: named arguments
-- dialect: snowflake
-- reads: t.a
select some_udf(x => a) from t

-- case: pivot reads its lists
-- dialect: duckdb
-- schema: ledger(product, month, loan_id, x)
-- reads: ledger.product ledger.month ledger.loan_id
with c as (select * from (select product, month, loan_id from ledger) pivot (count(loan_id) for month in ('m1', 'm2')))
select product, "m1", "m2" from c

-- case: pivot over a table
-- dialect: snowflake
-- reads: t.region t.amount t.month t.*
select region from t pivot (sum(amount) for month in ('a', 'b')) as p

-- case: t-sql pivot names are values
-- dialect: tsql
-- reads: t.amount t.month t.region t.*
select region, [jan] from t pivot (sum(amount) for month in ([jan], [feb])) as p

-- case: unpivot reads its list
-- dialect: duckdb
-- schema: sales(id, jan, feb, mar)
-- reads: sales.id sales.jan sales.feb
with src as (select id, jan, feb from sales) select id, metric, score from src unpivot (score for metric in (jan, feb))

-- case: duckdb pivot statement
-- dialect: duckdb
-- reads: raw.users.country raw.users.status raw.users.score
pivot (select country, status, score from raw.users) on status using sum(score) group by country

-- case: match recognize
-- dialect: snowflake
-- schema: t(a, b, x, c)
-- reads: t.a t.b t.x t.c
select * from t match_recognize(partition by a order by b measures x as y pattern (p) define p as c > 1)

-- case: table function
-- dialect: snowflake
-- reads:
-- relations:
select * from table(generator(rowcount => 10))

-- case: values
-- dialect: postgres
-- reads: raw.users.name raw.users.country
select v.label, u.name from (values ('DK', 'Denmark')) v(code, label) join raw.users u on u.country = v.code

-- case: values in a lateral
-- dialect: duckdb
-- reads: x.f1 x.f3 x.f4
select a.f1, b.g from x a cross join lateral (values ('s1', a.f3), ('s2', a.f4)) as b(k, g)

-- case: time travel
-- dialect: databricks
-- reads: t.a
select a from t version as of 1

-- case: pipe syntax
-- dialect: bigquery
-- reads: t.a t.b
from t |> where a > 1 |> select b

-- case: model prediction reads its input
-- dialect: bigquery
-- reads: t.a
-- relations: t
select * from ml.predict(model `p.m`, (select a from t))

-- case: top
-- dialect: tsql
-- reads: dbo.t.a dbo.t.b
select top 10 x = a from dbo.t order by b

-- case: hints and locks
-- dialect: postgres
-- reads: t.a
select a from t for update of t

-- case: bracketed identifiers
-- dialect: tsql
-- reads: sch.tab.col sch.tab.other_one
select [Col] from [Sch].[Tab] where [Tab].[Other_one] = 1
