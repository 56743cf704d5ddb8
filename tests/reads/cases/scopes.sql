-- case: unqualified with two unknown tables is offered to both
-- dialect: snowflake
-- reads: a.k b.k a.x? b.x?
select x from a join b on a.k = b.k

-- case: unqualified with one known owner is certain
-- dialect: snowflake
-- schema: a(k, x); b(k)
-- reads: a.k b.k a.x
select x from a join b on a.k = b.k

-- case: one known owner beside an unknown table
-- dialect: snowflake
-- schema: a(k, x)
-- reads: a.k b.k a.x
select x from a join b on a.k = b.k

-- case: what the known table lacks is the other one's
-- dialect: snowflake
-- schema: a(k)
-- reads: a.k b.k b.x
select x from a join b on a.k = b.k

-- case: knowledge out of date does not hide a read
-- dialect: snowflake
-- schema: a(k)
-- reads: a.x
select x from a

-- case: correlated qualified
-- dialect: postgres
-- reads: u.name u.id o.user_id o.status
select name from u where exists (select 1 from o where o.user_id = u.id and o.status = 'paid')

-- case: correlated unqualified with known columns
-- dialect: postgres
-- schema: users(id, name, score); orders(user_id, amount)
-- reads: users.name users.id users.score orders.user_id orders.amount
select name from users where exists (select 1 from orders where user_id = users.id and amount > score)

-- case: correlated unqualified without columns
-- dialect: postgres
-- reads: users.name users.id orders.user_id? users.user_id?
select name from users where exists (select 1 from orders where user_id = users.id)

-- case: an inner name that is not in the inner table
-- dialect: duckdb
-- schema: frpm(n, code, q); sat(cds, score)
-- reads: frpm.n frpm.code sat.score
select n from frpm where code = (select code from sat order by score desc limit 1)

-- case: an inner name that would become the outer one
-- dialect: duckdb
-- schema: t(id, name, x); u(id, name, x)
-- reads: t.id t.name u.id!rebind u.name
select id from t where id > (select avg(id) from u where u.name = t.name)

-- case: a derived table does not see its neighbours
-- dialect: postgres
-- schema: a(x); b(y)
-- reads: b.y a.x
select a.x from a, (select y from b) q

-- case: lateral sees its neighbours
-- dialect: postgres
-- schema: u(id, name); o(user_id, amount, created_at)
-- reads: u.name u.id o.user_id o.amount o.created_at
select u.name, t.amount from u, lateral (select amount from o where o.user_id = u.id order by created_at desc limit 1) t

-- case: cte shadows a table
-- dialect: postgres
-- reads: raw.users.id raw.users.country raw.users.status
-- relations: raw.users
with users as (select id, country as name from raw.users where status = 'a') select name from users

-- case: cte named like the table it reads
-- dialect: snowflake
-- reads: users.id users.status
with users as (select id from users where status = 'a') select id from users

-- case: a qualified name is never a cte
-- dialect: duckdb
-- reads: raw.orders.amount raw.orders.currency raw.fx.day raw.fx.rate
with fx as (select 'DKK' as currency, 1.0 as rate)
select o.amount * fx.rate as x, r.day from raw.orders o join fx on fx.currency = o.currency join raw.fx r on r.rate <> 0

-- case: cte of a cte in a subquery
-- dialect: snowflake
-- reads: t.a t.b
select q.a from (with c as (select a, b from t), d as (select a from c where b > 1) select a from d) q

-- case: unused cte still counts
-- dialect: snowflake
-- reads: t.a t.b
with unused as (select b from t) select a from t

-- case: recursive cte
-- dialect: duckdb
-- reads: raw.orders.id raw.orders.amount
with recursive t(n, amt) as (
  select id, amount from raw.orders where id = 1
  union all
  select n + 1, o.amount from t join raw.orders o on o.id = t.n + 1 where n < 5
) select sum(amt) as s from t

-- case: recursive cte without the word
-- dialect: tsql
-- reads: dbo.e.id dbo.e.boss
-- outputs: id <- dbo.e.id
with c as (select id, boss from dbo.e where boss is null union all select e.id, e.boss from dbo.e join c on c.id = e.boss)
select id from c

-- case: alias of a cte is no table
-- dialect: duckdb
-- reads: t2.c
-- relations: t2
with w as (select c from t2) select x.c from w x

-- case: self join
-- dialect: postgres
-- reads: o.id o.amount o.user_id
select a.id, b.amount from o a join o b on a.user_id = b.user_id and a.id < b.id

-- case: lateral alias
-- dialect: snowflake
-- schema: o(amount)
-- reads: o.amount
-- outputs: dbl <- o.amount; plus <- o.amount
select amount * 2 as dbl, dbl + 1 as plus from o

-- case: lateral alias hides no column
-- dialect: snowflake
-- schema: t(a, b, id)
-- reads: t.a t.b t.id!rebind
select a || b as id, id as x from t

-- case: no lateral alias in postgres
-- dialect: postgres
-- reads: o.amount o.dbl
select amount * 2 as dbl, dbl + 1 as plus from o

-- case: alias of an alias
-- dialect: duckdb
-- schema: src(name, id)
-- reads: src.name
select q.id from (select name as user_name, user_name as id from src) q

-- case: lateral alias in case
-- dialect: duckdb
-- schema: p(id, ad, am, um); f(id, team, z)
-- reads: p.id p.ad p.am f.id f.team
select f.team as final_team, case when final_team = 'a' then p.ad when final_team = 'b' then p.am end as region from p join f on f.id = p.id

-- case: alias in where
-- dialect: duckdb
-- schema: o(amount)
-- reads: o.amount
select amount * 2 as total from o where total > 10

-- case: alias with the name of its column
-- dialect: duckdb
-- schema: o(status, amount)
-- reads: o.status o.amount
select lower(status) as status, amount from o where status = 'PAID'

-- case: a where that would become an alias
-- dialect: snowflake
-- schema: g(home, away, home_team_score)
-- reads: g.home g.away g.home_team_score!rebind
select coalesce(home, away) as home_team_score from g where home_team_score is not null

-- case: order by means the output
-- dialect: postgres
-- schema: o(amount, user_id)
-- reads: o.user_id
select user_id, 1 as amount from o order by amount

-- case: order by a column that is not selected
-- dialect: postgres
-- reads: u.name u.created_at
select name from u order by created_at

-- case: group by an alias
-- dialect: postgres
-- schema: o(created_at, amount)
-- reads: o.created_at o.amount
select date_trunc('day', created_at) as day, sum(amount) as amount from o group by day having sum(amount) > 1 order by amount

-- case: qualify an alias
-- dialect: snowflake
-- schema: o(id, currency, amount)
-- reads: o.id o.currency o.amount
select id, row_number() over (partition by currency order by amount) as rn from o qualify rn = 1

-- case: alias equal to the table
-- dialect: duckdb
-- schema: t1(v, w, z)
-- reads: t1.v t1.w
select (select max(t1.v) from t1 t1) + w as o from t1

-- case: unqualified beside a cte with known columns
-- dialect: duckdb
-- schema: x(a, d, z); y(b, c, z)
-- reads: x.a x.d y.b y.c
with y2 as (select b, c from y) select a, b from x join y2 y3 on x.d = y3.c

-- case: set operation by position
-- dialect: postgres
-- reads: i.id i.rate s.id s.rate
-- outputs: id <- i.id, s.id; rate <- i.rate, s.rate
select i.id as id, i.rate as rate from i union all select s.id as id, s.rate as rate from s

-- case: set operation names come from the first branch
-- dialect: postgres
-- reads: raw.users.id raw.users.name raw.orders.id raw.orders.note
-- outputs: label <- raw.orders.note, raw.users.name
select label from (select id, name as label from raw.users union all select id, note from raw.orders) q

-- case: order by of a set operation
-- dialect: postgres
-- reads: a.x b.y
select x from a union select y from b order by x

-- case: order by of a set operation through a star
-- dialect: postgres
-- reads: a.x b.x!position a.* b.*
select * from a union all select * from b order by x

-- case: except
-- dialect: duckdb
-- reads: o.user_id u.id u.status
select user_id from o except select id from u where status = 'b'

-- case: quoted names keep their case where it matters
-- dialect: snowflake
-- reads: raw.orders."Discount_Pct" raw.orders.status
select "Discount_Pct" from RAW.ORDERS where "STATUS" = 1

-- case: quoted names fold where case never matters
-- dialect: bigquery
-- reads: p.d.t.discount_pct
select `Discount_Pct` from `p.d.t`

-- case: postgres keeps quoted capitals
-- dialect: postgres
-- reads: s.t."Id" s.t.name
select "Id", "name" from S.T

-- case: clickhouse keeps every spelling
-- dialect: clickhouse
-- reads: hits."UserID" hits.url
select UserID, url from hits

-- case: known columns under a longer name
-- dialect: snowflake
-- schema: db.s.a(k, x); db.s.b(k)
-- reads: s.a.k s.b.k s.a.x
select x from s.a join s.b on a.k = b.k
