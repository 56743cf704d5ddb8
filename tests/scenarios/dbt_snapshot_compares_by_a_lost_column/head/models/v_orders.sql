select
    order_id,
    customer_id,
    discount_pct
from {{ source('raw', 'orders') }}
