select order_id, customer_id, discount_pct, note
from {{ source('raw', 'orders') }}
