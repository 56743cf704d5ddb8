select
    order_id,
    customer_id,
    quantity
from {{ source('raw', 'orders') }}
