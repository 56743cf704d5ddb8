"""dbt's own macros: its cross-database expressions and its rules for names (docs.getdbt.com, "Cross-database macros")."""

from typing import Final

TEXT: Final = r"""
{#- Dates. A date part is written as a text: bare, some dialects would take it for a column. Some write these three alike: -#}

{% macro default__date_trunc(datepart, date) -%}
  zz_date_trunc('{{ datepart | trim("'\" ") }}', {{ date }})
{%- endmacro %}
{% macro snowflake__date_trunc(datepart, date) -%}
  date_trunc('{{ datepart | trim("'\" ") }}', {{ date }})
{%- endmacro %}
{% macro redshift__date_trunc(datepart, date) -%}
  date_trunc('{{ datepart | trim("'\" ") }}', {{ date }})
{%- endmacro %}
{% macro duckdb__date_trunc(datepart, date) -%}
  date_trunc('{{ datepart | trim("'\" ") }}', {{ date }})
{%- endmacro %}
{% macro spark__date_trunc(datepart, date) -%}
  date_trunc('{{ datepart | trim("'\" ") }}', {{ date }})
{%- endmacro %}

{% macro default__dateadd(datepart, interval, from_date_or_timestamp) -%}
  zz_dateadd('{{ datepart | trim("'\" ") }}', {{ interval }}, {{ from_date_or_timestamp }})
{%- endmacro %}
{% macro snowflake__dateadd(datepart, interval, from_date_or_timestamp) -%}
  dateadd('{{ datepart | trim("'\" ") }}', {{ interval }}, {{ from_date_or_timestamp }})
{%- endmacro %}
{% macro redshift__dateadd(datepart, interval, from_date_or_timestamp) -%}
  dateadd('{{ datepart | trim("'\" ") }}', {{ interval }}, {{ from_date_or_timestamp }})
{%- endmacro %}
{% macro duckdb__dateadd(datepart, interval, from_date_or_timestamp) -%}
  dateadd('{{ datepart | trim("'\" ") }}', {{ interval }}, {{ from_date_or_timestamp }})
{%- endmacro %}
{% macro spark__dateadd(datepart, interval, from_date_or_timestamp) -%}
  dateadd('{{ datepart | trim("'\" ") }}', {{ interval }}, {{ from_date_or_timestamp }})
{%- endmacro %}

{% macro default__datediff(first_date, second_date, datepart) -%}
  zz_datediff('{{ datepart | trim("'\" ") }}', {{ first_date }}, {{ second_date }})
{%- endmacro %}
{% macro snowflake__datediff(first_date, second_date, datepart) -%}
  datediff('{{ datepart | trim("'\" ") }}', {{ first_date }}, {{ second_date }})
{%- endmacro %}
{% macro redshift__datediff(first_date, second_date, datepart) -%}
  datediff('{{ datepart | trim("'\" ") }}', {{ first_date }}, {{ second_date }})
{%- endmacro %}
{% macro duckdb__datediff(first_date, second_date, datepart) -%}
  datediff('{{ datepart | trim("'\" ") }}', {{ first_date }}, {{ second_date }})
{%- endmacro %}
{% macro spark__datediff(first_date, second_date, datepart) -%}
  datediff('{{ datepart | trim("'\" ") }}', {{ first_date }}, {{ second_date }})
{%- endmacro %}
{% macro date(year, month, day) %}cast('{{ year }}-{{ month }}-{{ day }}' as date){% endmacro %}
{% macro last_day(date, datepart='month') %}last_day({{ date }}){% endmacro %}
{% macro current_timestamp() %}current_timestamp{% endmacro %}
{% macro current_timestamp_backcompat() %}current_timestamp{% endmacro %}
{% macro current_timestamp_in_utc_backcompat() %}current_timestamp{% endmacro %}

{% macro date_spine(datepart, start_date, end_date) -%}
  select cast(null as date) as date_{{ tether.only(datepart, '_') }} {# -#}
  from (select {{ start_date }} as zz_start, {{ end_date }} as zz_end) as zz_spine
{%- endmacro %}

{% macro generate_series(upper_bound) -%}
  select 1 as generated_number from (select {{ upper_bound }} as zz_bound) as zz
{%- endmacro %}

{#- Types. -#}

{% macro type_string() %}varchar{% endmacro %}
{% macro type_int() %}int{% endmacro %}
{% macro type_bigint() %}bigint{% endmacro %}
{% macro type_float() %}float{% endmacro %}
{% macro type_numeric() %}numeric{% endmacro %}
{% macro type_boolean() %}boolean{% endmacro %}
{% macro type_timestamp() %}timestamp{% endmacro %}

{% macro cast(field, type) %}cast({{ field }} as {{ type }}){% endmacro %}
{% macro safe_cast(field, type) %}cast({{ field }} as {{ type }}){% endmacro %}
{% macro cast_bool_to_text(field) %}cast({{ field }} as varchar){% endmacro %}

{#- Texts. -#}

{% macro escape_single_quotes(expression) %}{{ expression | replace("'", "''") }}{% endmacro %}
{% macro string_literal(value) %}'{{ value | replace("'", "''") }}'{% endmacro %}
{% macro concat(fields) %}concat({{ fields | join(', ') }}){% endmacro %}
{% macro hash(field) %}md5(cast({{ field }} as varchar)){% endmacro %}
{% macro split_part(string_text, delimiter_text, part_number) -%}
  split_part({{ string_text }}, {{ delimiter_text }}, {{ part_number }})
{%- endmacro %}
{% macro replace(field, old_chars, new_chars) -%}
  replace({{ field }}, {{ string_literal(old_chars) }}, {{ string_literal(new_chars) }})
{%- endmacro %}
{% macro right(string_text, length_expression) %}right({{ string_text }}, {{ length_expression }}){% endmacro %}
{% macro length(expression) %}length({{ expression }}){% endmacro %}
{% macro position(substring_text, string_text) %}zz_position({{ substring_text }}, {{ string_text }}){% endmacro %}

{#- Rows and arrays. The order of a list is an argument here: what it reads counts. -#}

{% macro listagg(measure, delimiter_text="','", order_by_clause=none, limit_num=none) -%}
  zz_listagg({{ measure }}, {{ delimiter_text }}
  {%- if order_by_clause %}, zz_order({{ (order_by_clause | string)[8:] }}){% endif %})
{%- endmacro %}

{% macro array_agg(expression) %}array_agg({{ expression }}){% endmacro %}
{% macro array_concat(array_1, array_2) %}zz_array_concat({{ array_1 }}, {{ array_2 }}){% endmacro %}
{% macro array_append(array, new_element) %}zz_array_append({{ array }}, {{ new_element }}){% endmacro %}
{% macro array_construct(inputs=[], data_type=none) %}zz_array({{ inputs | join(', ') }}){% endmacro %}
{% macro any_value(expression) %}any_value({{ expression }}){% endmacro %}
{% macro bool_or(expression) %}zz_bool_or({{ expression }}){% endmacro %}
{% macro except() %}except{% endmacro %}
{% macro intersect() %}intersect{% endmacro %}

{#- Names of relations, where a project's own rule asks for dbt's. -#}

{% macro default__generate_schema_name(custom_schema_name=none, node=none) -%}
  {{ target.schema }}{% if custom_schema_name %}_{{ custom_schema_name }}{% endif %}
{%- endmacro %}

{% macro default__generate_schema_name_for_env(custom_schema_name=none, node=none) -%}
  {{ target.schema if custom_schema_name is none or target.name != 'prod' else custom_schema_name | trim }}
{%- endmacro %}

{% macro default__generate_alias_name(custom_alias_name=none, node=none) %}{{ custom_alias_name or model.alias }}{% endmacro %}
{% macro default__generate_database_name(custom_database_name=none, node=none) -%}
  {{ custom_database_name or target.database }}
{%- endmacro %}
"""
