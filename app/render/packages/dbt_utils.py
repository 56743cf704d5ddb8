"""The macros of dbt_utils (github.com/dbt-labs/dbt-utils, README); what it lent from dbt, `dbt.py` answers.

A macro that would ask the database for values gets one made-up value, so that the columns it names stay visible.
"""

from typing import Final

TEXT: Final = r"""
{#- Columns of relations. Where nobody tells them, `*` stands for all: what is read passes through by its name. -#}

{% macro star(from=none, relation_alias=none, except=[], prefix='', suffix='', quote_identifiers=true) -%}
  {%- set alias = relation_alias ~ '.' if relation_alias else '' -%}
  {%- if tether.columns(from) -%}
    {{ zz_listed(tether.columns(from, except), alias, prefix, suffix) }}
  {%- elif prefix or suffix -%}
    {{ tether.refuse('dbt_utils.star() renames columns that this repository does not list') }}
  {%- else -%}
    {%- set gone = tether.left_out(except) -%}
    {{ alias }}*{% if gone %} except ({{ gone | join(', ') }}){% endif -%}
  {%- endif -%}
  {%- set unread = [varargs, kwargs] -%}
{%- endmacro %}

{% macro zz_listed(names, alias, prefix, suffix) -%}
  {%- for name in names -%}
    {{ '' if loop.first else ', ' }}{{ alias }}{{ tether.quote(name) }}
    {%- if prefix or suffix %} as {{ tether.quote(prefix ~ name ~ suffix) }}{% endif -%}
  {%- else -%}
    {{ alias }}*
  {%- endfor -%}
{%- endmacro %}

{% macro get_filtered_columns_in_relation(from=none, except=[]) -%}
  {%- set names = tether.columns(from, except) -%}
  {%- if not names %}{% do tether.note_unlisted(from) %}{% endif -%}
  {%- set unread = kwargs -%}
  {{ return(names or ['*']) }}
{%- endmacro %}

{% macro unpivot(relation=none, cast_to='varchar', exclude=[], remove=[], field_name='field_name', value_name='value') -%}
  {%- set kept = tether.items(exclude) -%}
  {%- for name in tether.columns(relation, kept + tether.items(remove)) -%}
    {{ '' if loop.first else ' union all ' }}select {% for one in kept %}{{ one }}, {% endfor -%}
    '{{ name }}' as {{ field_name }}, cast({{ name }} as {{ cast_to }}) as {{ value_name }} from {{ relation }}
  {%- else -%}
    {{ tether.refuse('dbt_utils.unpivot() of columns that this repository does not list') }}
  {%- endfor -%}
  {%- set unread = kwargs -%}
{%- endmacro %}

{#- Queries. A union is by name, as the macro does it; columns that one relation lacks are NULL there. -#}

{% macro union_relations(relations=[], column_override=none, include=[], exclude=[], source_column_name='_dbt_source_relation',
    where=none) -%}
  {%- set gone = tether.left_out(exclude) -%}
  {%- for relation in tether.items(relations) if relation is string -%}
    {{ '' if loop.first else ' union all by name ' }}select {{ tether.items(include) | join(', ') or '*' }}
    {%- if gone and not include %} except ({{ gone | join(', ') }}){% endif %}
    {%- if source_column_name %}, '{{ tether.only(relation, '._') }}' as {{ source_column_name }}{% endif %} from {{ relation }}
    {%- if where %} where {{ where }}{% endif -%}
  {%- else -%}
    {{ tether.refuse('dbt_utils.union_relations() of relations that only a database can list') }}
  {%- endfor -%}
  {%- set unread = kwargs -%}
{%- endmacro %}

{% macro default__deduplicate(relation, partition_by, order_by=none) -%}
  select * from {{ relation }} qualify {{ zz_row_number(partition_by, order_by) }} = 1
  {%- set unread = kwargs -%}
{%- endmacro %}

{#- QUALIFY is not read of these. -#}
{% macro trino__deduplicate(relation, partition_by, order_by=none) -%}
  select * from {{ relation }} where 1 = (select {{ zz_row_number(partition_by, order_by) }})
  {%- set unread = kwargs -%}
{%- endmacro %}
{% macro athena__deduplicate(relation, partition_by, order_by=none) -%}
  {{ trino__deduplicate(relation, partition_by, order_by, **kwargs) }}
{%- endmacro %}

{% macro zz_row_number(partition_by, order_by) -%}
  row_number() over (partition by {{ partition_by }}{% if order_by %} order by {{ order_by }}{% endif %})
{%- endmacro %}

{% macro pivot(column, values, alias=true, agg='sum', cmp='=', prefix='', suffix='', then_value=1, else_value=0,
    quote_identifiers=true) -%}
  {%- for value in tether.items(values) -%}
    {%- set name = prefix ~ value ~ suffix -%}
    {%- set condition = column ~ ' ' ~ cmp ~ ' ' ~ dbt.string_literal(value) -%}
    {{ '' if loop.first else ', ' }}{{ agg }}(case when {{ condition }} then {{ then_value }} else {{ else_value }} end)
    {%- if alias %} as {{ adapter.quote(name) if quote_identifiers else slugify(name) }}{% endif -%}
  {%- else -%}
    null as zz_pivot
  {%- endfor -%}
  {%- set unread = [varargs, kwargs] -%}
{%- endmacro %}

{% macro nullcheck_table(relation) %}select * from {{ relation }}{% endmacro %}

{% macro group_by(n) -%}
  {%- if not 0 < n | int <= 10000 %}{{ tether.refuse('dbt_utils.group_by() of that many columns') }}{% endif -%}
  group by {{ range(1, n | int + 1) | join(', ') }}
{%- endmacro %}

{#- Expressions. -#}

{% macro generate_surrogate_key(field_list=[]) -%}
  md5(concat({{ tether.items(field_list, *varargs) | join(', ') or 'null' }}))
{%- endmacro %}
{% macro surrogate_key(field_list=[]) %}{{ generate_surrogate_key(field_list, *varargs) }}{% endmacro %}
{% macro safe_add(field_list=[]) %}{{ zz_chain(tether.items(field_list, *varargs), ' + ') }}{% endmacro %}
{% macro safe_subtract(field_list=[]) %}{{ zz_chain(tether.items(field_list, *varargs), ' - ') }}{% endmacro %}
{% macro safe_divide(numerator, denominator) %}({{ numerator }}) / nullif({{ denominator }}, 0){% endmacro %}

{% macro zz_chain(names, operator) -%}
  {%- for name in names %}{{ '' if loop.first else operator }}coalesce({{ name }}, 0){% else %}null{% endfor -%}
{%- endmacro %}

{% macro width_bucket(expr, low, high, buckets) %}zz_width_bucket({{ expr }}, {{ low }}, {{ high }}, {{ buckets }}){% endmacro %}
{% macro haversine_distance(lat1, lon1, lat2, lon2, unit='mi') -%}
  zz_haversine({{ lat1 }}, {{ lon1 }}, {{ lat2 }}, {{ lon2 }})
{%- endmacro %}
{% macro get_url_host(field) %}zz_url_host({{ field }}){% endmacro %}
{% macro get_url_path(field) %}zz_url_path({{ field }}){% endmacro %}
{% macro get_url_parameter(field, url_parameter) %}zz_url_parameter({{ field }}, '{{ url_parameter }}'){% endmacro %}
{% macro slugify(string) %}{{ tether.only((string or '') | lower, '', '_') }}{% endmacro %}

{#- What only a database tells. -#}

{% macro get_column_values() %}{{ return(['zz_value']) }}{{ [varargs, kwargs] }}{% endmacro %}
{% macro get_single_value(query, default=none) %}{{ return('zz_value' if default is none else default) }}{% endmacro %}
{% macro get_query_results_as_dict(query) %}{{ return(load_result(query)) }}{% endmacro %}
{% macro get_relations_by_pattern() %}{{ return([]) }}{{ [varargs, kwargs] }}{% endmacro %}
{% macro get_relations_by_prefix() %}{{ return([]) }}{{ [varargs, kwargs] }}{% endmacro %}
{% macro get_tables_by_pattern_sql() %}{{ return([]) }}{{ [varargs, kwargs] }}{% endmacro %}

{#- What only tells people. -#}

{% macro log_info() %}{% set unread = [varargs, kwargs] %}{% endmacro %}
{% macro pretty_log_format() %}{% set unread = [varargs, kwargs] %}{% endmacro %}
{% macro pretty_time() %}{% set unread = [varargs, kwargs] %}{% endmacro %}
{% macro _is_relation() %}{% set unread = [varargs, kwargs] %}{% endmacro %}
{% macro _is_ephemeral() %}{% set unread = [varargs, kwargs] %}{% endmacro %}
"""
