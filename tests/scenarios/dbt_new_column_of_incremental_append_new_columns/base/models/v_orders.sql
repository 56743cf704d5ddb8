{{ config(materialized='incremental', on_schema_change='append_new_columns') }}
select
    order_id,
    customer_id,
    discount_pct,
    quantity
from {{ source('raw', 'orders') }}
