select
    order_id,
    customer_id,
    {% if var('use_new_rates') %}discount_rate{% else %}discount_pct{% endif %},
    quantity
from {{ source('raw', 'orders') }}
