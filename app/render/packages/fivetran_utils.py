"""The macros of fivetran_utils (github.com/fivetran/dbt_fivetran_utils, README), on which the projects over its connectors stand.

What they would ask the database for (does the table exist, which columns has it) is taken to be yes, and all.
"""

from typing import Final

TEXT: Final = r"""
{#- Which tables a staging model stands on: one source's, or those of several connections, one above the other. A variable
    may give a source's table another name in the same schema. -#}

{% macro union_data(table_identifier, database_variable, schema_variable, default_database, default_schema, default_variable=none,
    union_schema_variable='union_schemas', union_database_variable='union_databases') -%}
  {%- set schemas, databases = tether.variable(union_schema_variable), tether.variable(union_database_variable) -%}
  {%- if schemas -%}
    {{ zz_union([var(database_variable, default_database)], schemas, table_identifier) }}
  {%- elif databases -%}
    {{ zz_union(databases, [var(schema_variable, default_schema)], table_identifier) }}
  {%- else -%}
    {#- two of its sources are not called like their default schemas -#}
    {%- set renamed = {'linkedin_company_pages': 'linkedin_pages', 'instagram_business_pages': 'instagram_business'} -%}
    {%- set source_name = renamed.get(default_schema | string, default_schema | string) -%}
    {%- set relation, name = source(source_name, table_identifier | string), source_name ~ '_' ~ table_identifier -%}
    {%- set given = [var(name ~ '_identifier', none), var(name ~ '_identifer', none)] | select('string') | first -%}
    {%- set relation = tether.renamed(relation, given) if given else relation -%}
    select {{ dbt.string_literal(source_name) }} as _dbt_source_relation, {{ dbt_utils.star(relation) }} from {{ relation }}
  {%- endif -%}
  {%- set unread = kwargs -%}
{%- endmacro %}

{% macro union_connections(connection_dictionary, single_source_name, single_table_name, default_identifier=none) -%}
  {%- set variable = single_source_name ~ '_' ~ single_table_name ~ '_identifier' -%}
  {%- set connections = tether.variable(connection_dictionary) -%}
  {%- if connections and connections | select('mapping') | select | list -%}
    {{ zz_connected(connections, single_source_name, var(variable, default_identifier or single_table_name)) }}
  {%- else -%}
    {%- set relation, given = source(single_source_name, single_table_name), var(variable, none) -%}
    {%- set given = given if given is string else default_identifier if default_identifier != single_table_name else none -%}
    {%- set relation = tether.renamed(relation, given) if given else relation -%}
    select {{ dbt_utils.star(relation) }} from {{ relation }} as source_table
  {%- endif -%}
  {%- set unread = kwargs -%}
{%- endmacro %}

{% macro zz_union(databases, schemas, identifier) -%}
  {%- set tables = [] -%}
  {%- for database in databases -%}
    {%- for schema in schemas %}{% do tables.append(zz_table(database, schema, identifier)) %}{% endfor -%}
  {%- endfor -%}
  {{ dbt_utils.union_relations(tables) }}
{%- endmacro %}

{% macro zz_connected(connections, source_name, identifier) -%}
  {%- set tables = [] -%}
  {%- for one in connections if one is mapping and one -%}
    {%- do tables.append(zz_table(one.database or tether.database, one.schema or source_name, identifier)) -%}
  {%- endfor -%}
  {{ dbt_utils.union_relations(tables) }}
{%- endmacro %}

{% macro union_relations(relations=[]) %}{{ dbt_utils.union_relations(relations, *varargs, **kwargs) }}{% endmacro %}
{% macro union_relations_custom(relations=[]) %}{{ dbt_utils.union_relations(relations, *varargs, **kwargs) }}{% endmacro %}

{% macro zz_table(database, schema, identifier) -%}
  {%- if var('has_defined_sources', none) %}{{ return(source(schema | string, identifier | string)) }}{% endif -%}
  {{ return(api.Relation.create(database=database, schema=schema, identifier=identifier)) }}
{%- endmacro %}

{#- The column that tells the rows of connections apart. -#}

{% macro source_relation(union_schema_variable='union_schemas', union_database_variable='union_databases') -%}
  {%- if tether.variable(union_schema_variable) or tether.variable(union_database_variable) -%}
    , zz_schema_of(_dbt_source_relation) as source_relation
  {%- else -%}
    , cast('' as varchar) as source_relation
  {%- endif -%}
  {%- set unread = [varargs, kwargs] -%}
{%- endmacro %}

{% macro apply_source_relation(package_name, use_package_prefix=true) -%}
  {%- set prefix = package_name ~ '_' if use_package_prefix else '' -%}
  {%- if tether.variable(package_name ~ '_sources') -%}
    , _dbt_source_relation as source_relation
  {%- else -%}
    {{ source_relation(prefix ~ 'union_schemas', prefix ~ 'union_databases') }}
  {%- endif -%}
{%- endmacro %}

{% macro partition_by_source_relation(package_name='', has_other_partitions='yes', alias=none) -%}
  {%- if tether.variable(package_name ~ '_union_schemas')[1:] or tether.variable(package_name ~ '_union_databases')[1:]
      or tether.variable(package_name ~ '_sources') -%}
    {{ 'partition by ' if has_other_partitions == 'no' else ', ' }}{{ alias ~ '.' if alias else '' }}source_relation
  {%- endif -%}
  {%- set unread = kwargs -%}
{%- endmacro %}

{#- Which columns: those that the staging model lists, and those that variables add. -#}

{% macro fill_staging_columns(source_columns=none, staging_columns=[]) -%}
  {%- for column in staging_columns if column is mapping and column -%}
    {{ '' if loop.first else ', ' }}{{ quote_column(column) if column.quote else column.name }}
    {%- if column.alias %} as {{ column.alias }}{% endif -%}
  {%- else -%}
    *
  {%- endfor -%}
  {%- set unread = kwargs -%}
{%- endmacro %}

{% macro default__quote_column(column) -%}
  {%- set name = zz_field(column) -%}
  {{ adapter.quote(name) if column is mapping and column.quote else name }}
{%- endmacro %}
{% macro snowflake__quote_column(column) -%}
  {%- set name = zz_field(column) -%}
  {{ adapter.quote(name.upper()) if column is mapping and column.quote else name }}
{%- endmacro %}
{% macro wrap_in_quotes(object_to_quote) %}{{ adapter.quote(object_to_quote) }}{% endmacro %}

{% macro calculated_fields(variable) -%}
  {%- for field in tether.variable(variable) %}, {{ field.transform_sql }} as {{ zz_title(field) }}{% endfor -%}
{%- endmacro %}

{% macro fill_pass_through_columns(pass_through_variable) -%}
  {%- for field in tether.variable(pass_through_variable) %}{{ zz_passed_through(field) }}{% endfor -%}
{%- endmacro %}
{% macro zz_passed_through(field) -%}
  {%- set transformed = field.transform_sql if field is mapping else none -%}
  , coalesce(cast({{ transformed or zz_title(field) }} as varchar), '') as {{ zz_title(field) }}
{%- endmacro %}

{% macro persist_pass_through_columns(pass_through_variable, identifier=none, transform='') -%}
  {%- for field in tether.variable(pass_through_variable) -%}
    , {{ transform }}({{ identifier ~ '.' if identifier else '' }}{{ zz_title(field) }}) as {{ zz_title(field) }}
  {%- endfor -%}
  {%- set unread = kwargs -%}
{%- endmacro %}

{#- Lengthens the list that it is given. -#}
{% macro add_pass_through_columns(base_columns, pass_through_var=none) -%}
  {%- for field in tether.listed(pass_through_var) %}{% do base_columns.append(zz_column(field)) %}{% endfor -%}
{%- endmacro %}
{% macro zz_column(field) -%}
  {{ return(dict(name=zz_field(field), **({'alias': field.alias} if field is mapping and field.alias else {}))) }}
{%- endmacro %}

{% macro remove_prefix_from_columns(columns, prefix='', exclude=[]) -%}
  {%- set kept, found = tether.listed(exclude), [] -%}
  {%- for column in columns -%}
    {%- set name = column if column is string else column.name -%}
    {%- set begins = prefix and name.lower().startswith(prefix | lower) -%}
    {%- if name == '*' and prefix -%}
      {{ tether.refuse('fivetran_utils.remove_prefix_from_columns() of columns that this repository does not list') }}
    {%- endif -%}
    {%- if name not in kept %}{% do found.append(name ~ ' as ' ~ name[prefix | length:] if begins else name) %}{% endif -%}
  {%- endfor -%}
  {{ found | join(', ') }}
{%- endmacro %}

{% macro zz_field(field) %}{{ field.name or field if field is mapping else field }}{% endmacro %}
{% macro zz_title(field) %}{{ field.alias or zz_field(field) if field is mapping else field }}{% endmacro %}

{#- Which models are built. -#}

{% macro enabled_vars(vars) -%}
  {%- for name in tether.listed(vars) if var(name | string, none) | lower == 'false' %}{{ return(false) }}{% endfor -%}
  {{ return(true) }}
{%- endmacro %}

{% macro enabled_vars_one_true(vars) -%}
  {%- for name in tether.listed(vars) if var(name | string, none) | lower == 'true' %}{{ return(true) }}{% endfor -%}
  {{ return(false) }}
{%- endmacro %}

{#- Expressions: date parts, paths and types are texts in them. -#}

{% macro string_agg(field_to_agg, delimiter="','") %}string_agg({{ field_to_agg }}, {{ delimiter }}){% endmacro %}
{% macro array_agg(field_to_agg) %}array_agg({{ field_to_agg }}){% endmacro %}
{% macro max_bool(boolean_field) %}zz_max_bool({{ boolean_field }}){% endmacro %}
{% macro percentile(percentile_field, partition_field, percent) -%}
  zz_percentile({{ percentile_field }}, {{ partition_field }}, {{ percent }})
{%- endmacro %}
{% macro first_value(first_value_field, partition_field, order_by_field, order='asc') -%}
  first_value({{ first_value_field }}) over (partition by {{ partition_field }} order by {{ order_by_field }} {{ order }})
{%- endmacro %}
{% macro timestamp_add(datepart, interval, from_timestamp) -%}
  zz_timestamp_add({{ dbt.string_literal(datepart) }}, {{ interval }}, {{ from_timestamp }})
{%- endmacro %}
{% macro timestamp_diff(first_date, second_date, datepart) -%}
  zz_timestamp_diff({{ dbt.string_literal(datepart) }}, {{ first_date }}, {{ second_date }})
{%- endmacro %}
{% macro try_cast(field, type) %}zz_try_cast({{ field }}, {{ dbt.string_literal(type) }}){% endmacro %}
{% macro ceiling(num) %}ceil({{ num }}){% endmacro %}
{% macro extract_url_parameter(field, url_parameter) -%}
  zz_url_parameter({{ field }}, {{ dbt.string_literal(url_parameter) }})
{%- endmacro %}
{% macro json_extract(string, string_path) %}zz_json_extract({{ string }}, {{ dbt.string_literal(string_path) }}){% endmacro %}
{% macro json_parse(string, string_path) -%}
  zz_json_parse({{ string }}
  {%- for part in tether.listed(string_path) %}, {{ dbt.string_literal(part) }}{% else %}, null{% endfor %})
{%- endmacro %}
{% macro pivot_json_extract(string, list_of_properties) -%}
  {%- for item in tether.listed(list_of_properties) -%}
    {%- set name = zz_field(item) -%}
    {%- set title = item.alias if item is mapping and item.alias else tether.only(name | lower, '', '_') -%}
    {{ '' if loop.first else ', ' }}zz_json_extract({{ string }}, {{ dbt.string_literal(name) }}) as {{ title }}
  {%- else -%}
    {{ tether.refuse('fivetran_utils.pivot_json_extract() of no properties') }}
  {%- endfor -%}
{%- endmacro %}
{% macro dummy_coalesce_value(column) %}null{% endmacro %}
"""
