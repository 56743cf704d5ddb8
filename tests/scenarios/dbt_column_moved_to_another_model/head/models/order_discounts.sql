select
    order_id,
    discount_pct
from {{ source('raw', 'orders') }}
