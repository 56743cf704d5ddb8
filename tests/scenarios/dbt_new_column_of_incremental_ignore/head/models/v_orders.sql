{{ config(materialized='incremental', on_schema_change='ignore') }}
select
    order_id,
    customer_id,
    discount_pct,
    quantity,
    discount_pct as discount_rate
from {{ source('raw', 'orders') }}
