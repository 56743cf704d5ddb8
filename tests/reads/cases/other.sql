-- case: alter is ddl
-- dialect: postgres
-- kind: ddl
alter table t drop column a

-- case: drop is ddl
-- dialect: snowflake
-- kind: ddl
drop table if exists a.b cascade

-- case: rename table is ddl
-- dialect: mysql
-- kind: ddl
rename table a to b

-- case: sp_rename is ddl
-- dialect: tsql
-- kind: ddl
exec sp_rename 'dbo.t.a', 'b', 'COLUMN'

-- case: swap is ddl
-- dialect: snowflake
-- kind: ddl
alter table t swap with u

-- case: grant is inert
-- dialect: snowflake
-- kind: inert
grant select on t to role r

-- case: comment is inert
-- dialect: postgres
-- kind: inert
comment on column t.a is 'drop column a'

-- case: index is inert
-- dialect: postgres
-- kind: inert
create unique index concurrently if not exists i on t (a)

-- case: begin is inert
-- dialect: postgres
-- kind: inert
begin

-- case: begin transaction is inert
-- dialect: bigquery
-- kind: inert
begin transaction

-- case: set is inert
-- dialect: mysql
-- kind: inert
set names utf8

-- case: alter session is inert
-- dialect: snowflake
-- kind: inert
alter session set query_tag = 'x'

-- case: drop index is inert
-- dialect: postgres
-- kind: inert
drop index i

-- case: copy from a stage is inert
-- dialect: snowflake
-- kind: inert
copy into t (a, b) from @s

-- case: analyze is inert
-- dialect: trino
-- kind: inert
analyze t

-- case: anonymous block is opaque
-- dialect: postgres
-- kind: opaque
-- why: anonymous code block
-- unreadable: anonymous code block
do $$ begin execute 'alter table t drop column a'; end $$

-- case: call is opaque
-- dialect: snowflake
-- kind: opaque
-- why: calls a procedure
call p(1)

-- case: execute immediate is opaque
-- dialect: bigquery
-- kind: opaque
-- why: dynamic SQL
execute immediate 'drop table t'

-- case: procedure is opaque
-- dialect: snowflake
-- kind: opaque
-- why: the body of a procedure is not read
create or replace procedure p() returns string language sql as $$ select 1 $$

-- case: function is opaque
-- dialect: postgres
-- kind: opaque
-- why: the body of a function is not read
create function f() returns int language sql as $$ select a from t $$

-- case: task is opaque
-- dialect: snowflake
-- kind: opaque
-- why: the body of a task is not read
create task t warehouse = w schedule = '1 minute' as insert into a select b from c

-- case: scripting block is opaque
-- dialect: bigquery
-- kind: opaque
-- why: a block of procedural SQL
begin select 1; if x then select 2; end if; end

-- case: conditional is opaque
-- dialect: tsql
-- kind: opaque
-- why: a block of procedural SQL
if 1 = 1 begin select a from t; end

-- case: cursor is opaque
-- dialect: postgres
-- kind: opaque
-- why: declares a cursor
declare c cursor for select a from t

-- case: variable is inert
-- dialect: tsql
-- kind: inert
declare @x int = 1

-- case: words that are no statement
-- dialect: postgres
-- kind: opaque
-- why: not a statement
foo bar

-- case: unfinished
-- dialect: postgres
-- kind: opaque
-- why: does not parse as postgres
-- unreadable: does not parse as postgres
select a from

-- case: template left in
-- dialect: snowflake
-- kind: opaque
-- unreadable: does not parse
select a from {{ ref('x') }}

-- case: unterminated string
-- dialect: duckdb
-- unreadable: cannot|can be cut into words
select 'abc

-- case: unterminated comment
-- dialect: duckdb
-- unreadable: cannot|can be cut into words
select 1 /* abc

-- case: unknown dialect
-- dialect: cobol
-- unreadable: no SQL dialect
select 1

-- case: synonym is opaque
-- dialect: oracle
-- kind: opaque
create synonym s for t

-- case: alter policy is inert
-- dialect: postgres
-- kind: inert
drop policy p on t

-- case: truncate is ddl
-- dialect: redshift
-- kind: ddl
truncate table t

-- case: undrop is ddl
-- dialect: snowflake
-- kind: ddl
undrop table t

-- case: use is inert
-- dialect: snowflake
-- kind: inert
use role x

-- case: show is inert
-- dialect: trino
-- kind: inert
show create table t

-- case: explain is inert
-- dialect: postgres
-- kind: inert
explain select a from t

-- case: vacuum is inert
-- dialect: redshift
-- kind: inert
vacuum t

-- case: refresh is inert
-- dialect: postgres
-- kind: inert
refresh materialized view v

-- case: optimize is inert
-- dialect: databricks
-- kind: inert
optimize t zorder by (a)

-- case: postgres names what its author did not
-- dialect: postgres
-- outputs: id <- t.id; max <- t.x; lower <- t.nm; case <- t.z; w <- t.w, t.y; coalesce <- t.p, t.q; sum <- t.v; f <- t.r; <- t.a
select id::int, max(x), lower(nm), case when z then 1 end, case when y then 0 else w end, coalesce(p, q),
  sum(v) over (), (r).f, a + 1
from t

-- case: a later query takes the name that redshift made
-- dialect: redshift
-- outputs: id <- t.id; best <- t.x
with a as (select id::varchar, max(x) from t group by 1) select id, max as best from a

-- case: a scalar subquery has the name of its column
-- dialect: postgres
-- schema: t(a); u(b, c)
-- outputs: b <- u.b; k <- u.c
select (select b from u), (select c as k from u) from t

-- case: spark keeps the name of what it casts, and the last part of a path
-- dialect: databricks
-- outputs: id <- t.id; owner <- t.raw; zip <- t.raw; <- t.x
select cast(id as int), raw:owner, t.raw:address.zip::string, max(x) from t

-- case: duckdb makes up names that nobody writes
-- dialect: duckdb
-- outputs: <- t.id; <- t.x
select id::int, max(x) from t

-- case: one expression of spark projects several columns
-- dialect: spark
-- reads: t.arr t.a t.id
-- outputs: pos <- t.arr; item <- t.arr; k <- t.a; id <- t.id
with g as (select posexplode(arr) as (pos, item), stack(1, 'a', a) as (k), id from t) select * from g
