select
    customer_id,
    avg(discount_pct) as discount_sensitivity,
    count(*) as order_count
from {{ ref('mid') }}
group by customer_id
