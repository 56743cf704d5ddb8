select
    customer_id,
    avg(discount_pct) as discount_sensitivity,
    count(*) as order_count
from {{ ref('stg_orders') }}
group by customer_id
