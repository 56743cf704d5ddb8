-- case: insert with a column list maps to the target
-- dialect: duckdb
-- kind: insert
-- target: tgt
-- reads: src.name
-- outputs: id <- src.name
-- relations: src
insert into tgt (id) with c as (select name from src) select name from c

-- case: insert reads what it writes
-- dialect: duckdb
-- reads: foo.col foo.flag
insert into foo (col) select col from foo where flag is not null

-- case: insert of values writes its list
-- dialect: postgres
-- kind: insert
-- target: t
-- reads:
-- outputs: a <-; b <-
insert into t (a, b) values (1, 2)

-- case: insert by name
-- dialect: duckdb
-- kind: insert
-- reads: s.x
-- outputs: a <- s.x
insert into t by name select x as a from s

-- case: upsert reads its keys
-- dialect: postgres
-- schema: t(id, a, z)
-- reads: s.b s.c t.id t.z
-- outputs: id <- s.b; a <- s.c
insert into t (id, a) select b, c from s on conflict (id) do update set a = excluded.a where t.z > 1

-- case: insert overwrite
-- dialect: spark
-- kind: insert
-- target: db.t
-- reads: s.a
insert overwrite table db.t partition (dt = '1') select a from s

-- case: merge
-- dialect: snowflake
-- kind: merge
-- target: t
-- reads: s.id s.v t.id t.b t.flag
-- outputs: a <- s.v; b <- t.b; id <- s.id
-- relations: t s
merge into t using (select id, v * 2 as w from s) q on t.id = q.id
when matched and t.flag then update set a = q.w, b = t.b + 1
when not matched then insert (id, a) values (q.id, q.w)

-- case: merge of everything by name
-- dialect: databricks
-- kind: merge
-- reads: t.id s.id
-- outputs: ** <- s.*
merge into t using s on t.id = s.id when matched then update set * when not matched then insert *

-- case: merge with unqualified values
-- dialect: bigquery
-- reads: t.id s.id s.v
-- outputs: v <- s.v; id <- s.id
merge into t using s on t.id = s.id when not matched then insert (v, id) values (v, s.id)

-- case: update from
-- dialect: postgres
-- kind: update
-- target: t
-- reads: s.b t.i s.i t.n
-- outputs: a <- s.b; n <- t.n
update t set a = s.b, n = t.n + 1 from s where t.i = s.i

-- case: update of an alias
-- dialect: tsql
-- kind: update
-- target: dbo.orders
-- reads: s.b s.i dbo.orders.i dbo.orders.z
-- outputs: a <- s.b
-- relations: dbo.orders s
update o set o.a = s.b from dbo.orders o join s on s.i = o.i where o.z = 1

-- case: update of a join
-- dialect: mysql
-- kind: update
-- target: a
-- reads: b.y a.i b.i b.z
-- outputs: x <- b.y
update a join b on a.i = b.i set a.x = b.y where b.z = 1

-- case: update by a subquery
-- dialect: postgres
-- kind: update
-- reads: s.c s.d s.i t.i
-- outputs: a <- s.c, s.d, s.i, t.i; b <- s.c, s.d, s.i, t.i
-- schema: t(i, a, b); s(c, d, i)
update t set (a, b) = (select c, d from s where s.i = t.i)

-- case: back-fill of one column from another
-- dialect: postgres
-- kind: update
-- target: orders
-- outputs: discount_rate <- orders.discount_pct
update orders set discount_rate = discount_pct / 100

-- case: delete using
-- dialect: postgres
-- kind: delete
-- target: t
-- reads: t.a s.a
delete from t using s where t.a = s.a

-- case: delete of an alias
-- dialect: tsql
-- kind: delete
-- target: orders
-- reads: s.i orders.i s.z
delete o from orders o join s on s.i = o.i where s.z = 1

-- case: delete where in
-- dialect: trino
-- schema: t(a); s(b)
-- reads: t.a s.b
delete from t where a in (select b from s)

-- case: writing cte
-- dialect: postgres
-- kind: insert
-- target: u
-- reads: t.a t.z
-- outputs: x <- t.a
with gone as (delete from t where z > 1 returning a) insert into u (x) select a from gone

-- case: view
-- dialect: postgres
-- kind: create_view
-- target: s.v
-- reads: raw.users.id raw.users.email raw.users.country
-- outputs: id <- raw.users.id; mail <- raw.users.email
-- relations: raw.users
create or replace view s.v as select id, lower(email) as mail from raw.users where country = 'DK'

-- case: view with a column list
-- dialect: snowflake
-- kind: create_view
-- outputs: p <- t.a; q <- t.b
create view v (p, q comment 'x') as select a, b from t

-- case: view list over a star fixes the width
-- dialect: postgres
-- schema: t(a, b)
-- reads: t.*
-- outputs: *p <- t.a; *q <- t.b
create view v (p, q) as select * from t

-- case: materialized view
-- dialect: postgres
-- kind: create_view
-- target: v
-- reads: t.a
create materialized view v as select a from t

-- case: dynamic table
-- dialect: snowflake
-- kind: create_table_as
-- target: t
-- reads: s.a
create or replace dynamic table t target_lag = '1 minute' warehouse = w as select a from s

-- case: ctas
-- dialect: bigquery
-- kind: create_table_as
-- target: p.d.t
-- outputs: user_id <- s.user_id; amount <- s.amount
create or replace table `p.d.t` partition by dt as select user_id, sum(amount) as amount from s group by user_id

-- case: select into
-- dialect: postgres
-- kind: create_table_as
-- target: new
-- reads: t.a
select a into new from t

-- case: clone
-- dialect: snowflake
-- kind: create_table_as
-- target: t
-- outputs: ** <- s.*
create table t clone s

-- case: create table
-- dialect: postgres
-- kind: create_table
-- target: s.t
-- columns: id INT, b VARCHAR(10), "Cap" DECIMAL(5, 4)
create table s.t (id int primary key, b varchar(10) not null, "Cap" numeric(5, 4) default 0, constraint u unique (b))

-- case: create model leaves the label out
-- dialect: bigquery
-- kind: create_model
-- target: p.d.m
-- reads: t.a t.b t.y
-- outputs: a <- t.a; b <- t.b
create or replace model `p.d.m` options (model_type = 'logistic_reg', input_label_cols = ['y']) as select a, b, y from t

-- case: create model with a transform
-- dialect: bigquery
-- kind: create_model
-- schema: t(a, z, label)
-- reads: t.z
-- outputs: *a <- t.a
create model m transform (ml.quantile_bucketize(a, 3) over () as c, label) options (model_type = 'x') as select * except (z) from t

-- case: redshift model
-- dialect: redshift
-- kind: create_model
-- target: churn.m
-- reads: t.a@2 t.y@2 t.z@3
-- outputs: a <- t.a
create model churn.m from (
  select a, y from t
  where z > 1
) target y function f iam_role default settings (s3_bucket 'x')

-- case: redshift model from a table
-- dialect: redshift
-- kind: create_model
-- target: m
-- relations: s.t
-- outputs: ** <- s.t.*
create model m from s.t target y function f iam_role default settings (s3_bucket 'x')

-- case: export
-- dialect: bigquery
-- kind: query
-- reads: t.a
export data options (uri = 'x') as select a from t

-- case: insert all
-- dialect: snowflake
-- kind: insert
-- target: t2
-- outputs: x <- s.b
insert all into t1 values (a) into t2 (x) values (b) select a, b from s

-- case: clickhouse materialized view fills its table
-- dialect: clickhouse
-- kind: insert
-- target: t
-- outputs: a <- s.a
create materialized view v to t as select a from s
