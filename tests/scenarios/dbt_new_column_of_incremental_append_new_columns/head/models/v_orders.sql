{{ config(materialized='incremental', on_schema_change='append_new_columns') }}
select
    order_id,
    customer_id,
    discount_pct,
    quantity,
    discount_pct as discount_rate
from {{ source('raw', 'orders') }}
