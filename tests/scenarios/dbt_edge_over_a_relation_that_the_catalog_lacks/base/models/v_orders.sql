select
    order_id,
    customer_id,
    discount_pct,
    quantity
from {{ source('raw', 'orders') }}
