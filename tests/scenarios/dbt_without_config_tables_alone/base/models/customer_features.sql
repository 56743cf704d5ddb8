select customer_id, avg(discount_pct) as discount_sensitivity
from {{ ref('stg_orders') }}
group by customer_id
