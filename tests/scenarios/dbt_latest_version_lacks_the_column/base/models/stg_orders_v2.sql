select
    order_id,
    customer_id,
    quantity,
    amount_cents,
    status,
    created_at
from {{ source('raw', 'orders') }}
