{{ config(schema='features', alias='customer_features') }}
select
    customer_id,
    avg(discount_rate) as discount_sensitivity
from {{ ref('v_orders') }}
group by customer_id
