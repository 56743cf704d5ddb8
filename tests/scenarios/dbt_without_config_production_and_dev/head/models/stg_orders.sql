select order_id, customer_id, note
from {{ source('raw', 'orders') }}
