{{ config(schema='features', alias='customer_features') }}
select
    customer_id,
    avg(discount_pct) as discount_sensitivity
from {{ ref('orders_snap') }}
group by customer_id
