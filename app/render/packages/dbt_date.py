"""The macros of dbt_date (github.com/calogica/dbt-date, README): its date parts and time zones are texts, not columns."""

from typing import Final

TEXT: Final = r"""
{#- Of a date, which is today where none is given. -#}

{% macro convert_timezone(column, target_tz=none, source_tz=none) %}zz_convert_timezone({{ column }}){% endmacro %}
{% macro date_part(datepart, date) %}zz_date_part({{ dbt.string_literal(datepart) }}, {{ date }}){% endmacro %}
{% macro day_name(date=none, short=true, language=none) %}zz_day_name({{ zz_day(date) }}){% endmacro %}
{% macro day_of_month(date=none) %}zz_day_of_month({{ zz_day(date) }}){% endmacro %}
{% macro day_of_week(date=none, isoweek=true) %}zz_day_of_week({{ zz_day(date) }}){% endmacro %}
{% macro day_of_year(date=none) %}zz_day_of_year({{ zz_day(date) }}){% endmacro %}
{% macro month_name(date=none, short=true, language=none) %}zz_month_name({{ zz_day(date) }}){% endmacro %}
{% macro week_start(date=none, tz=none) %}zz_week_start({{ zz_day(date) }}){% endmacro %}
{% macro week_end(date=none, tz=none) %}zz_week_end({{ zz_day(date) }}){% endmacro %}
{% macro week_of_year(date=none, tz=none) %}zz_week_of_year({{ zz_day(date) }}){% endmacro %}
{% macro iso_week_start(date=none, tz=none) %}zz_iso_week_start({{ zz_day(date) }}){% endmacro %}
{% macro iso_week_end(date=none, tz=none) %}zz_iso_week_end({{ zz_day(date) }}){% endmacro %}
{% macro iso_week_of_year(date=none, tz=none) %}zz_iso_week_of_year({{ zz_day(date) }}){% endmacro %}
{% macro from_unixtimestamp(epochs, format='seconds') %}zz_from_unixtimestamp({{ epochs }}){% endmacro %}
{% macro to_unixtimestamp(timestamp) %}zz_to_unixtimestamp({{ timestamp }}){% endmacro %}
{% macro round_timestamp(timestamp) %}zz_round_timestamp({{ timestamp }}){% endmacro %}
{% macro periods_since(date_col, period_name='day', tz=none) %}zz_periods_since({{ date_col }}){% endmacro %}
{% macro n_days_ago(n, date=none, tz=none) %}zz_n_days_ago({{ n }}, {{ zz_day(date) }}){% endmacro %}
{% macro n_days_away(n, date=none, tz=none) %}zz_n_days_away({{ n }}, {{ zz_day(date) }}){% endmacro %}
{% macro yesterday(date=none, tz=none) %}{{ zz_day(date) }}{% endmacro %}
{% macro tomorrow(date=none, tz=none) %}{{ zz_day(date) }}{% endmacro %}
{% macro zz_day(date) %}{{ 'current_date' if date is none else date }}{% endmacro %}

{#- Of the day it runs. -#}

{% macro today(tz=none) %}current_date{% endmacro %}
{% macro now(tz=none) %}current_date{% endmacro %}
{% macro this_week(tz=none) %}current_date{% endmacro %}
{% macro last_week(tz=none) %}current_date{% endmacro %}
{% macro next_week(tz=none) %}current_date{% endmacro %}
{% macro last_month(tz=none) %}current_date{% endmacro %}
{% macro next_month(tz=none) %}current_date{% endmacro %}
{% macro n_weeks_ago(n, tz=none) %}zz_n_weeks_ago({{ n }}, current_date){% endmacro %}
{% macro n_weeks_away(n, tz=none) %}zz_n_weeks_away({{ n }}, current_date){% endmacro %}
{% macro n_months_ago(n, tz=none) %}zz_n_months_ago({{ n }}, current_date){% endmacro %}
{% macro n_months_away(n, tz=none) %}zz_n_months_away({{ n }}, current_date){% endmacro %}

{#- A row for each day; they read no table. -#}

{% macro get_base_dates(start_date=none, end_date=none, n_dateparts=none, datepart='day') -%}
  select cast(null as timestamp) as date_{{ tether.only(datepart, '_') }}
{%- endmacro %}

{% macro get_date_dimension(start_date=none, end_date=none) -%}
  {%- set names = [
    'date_day', 'prior_date_day', 'next_date_day', 'prior_year_date_day', 'prior_year_over_year_date_day',
    'day_of_week', 'day_of_week_iso', 'day_of_week_name', 'day_of_week_name_short', 'day_of_month', 'day_of_year',
    'week_start_date', 'week_end_date', 'iso_week_start_date', 'iso_week_end_date',
    'month_start_date', 'month_end_date', 'quarter_start_date', 'quarter_end_date', 'year_start_date', 'year_end_date',
    'prior_year_week_start_date', 'prior_year_week_end_date',
    'prior_year_iso_week_start_date', 'prior_year_iso_week_end_date',
    'prior_year_month_start_date', 'prior_year_month_end_date',
    'week_of_year', 'iso_week_of_year', 'prior_year_week_of_year', 'prior_year_iso_week_of_year',
    'month_of_year', 'month_name', 'month_name_short', 'quarter_of_year', 'year_number',
  ] -%}
  select {% for name in names %}cast(null as varchar) as {{ name }}{{ '' if loop.last else ', ' }}{% endfor %}
{%- endmacro %}
"""
