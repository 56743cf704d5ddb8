select
    order_id,
    customer_id,
    discount_pct,
    quantity,
    amount_cents,
    status,
    created_at
from {{ source('raw', 'orders') }}
