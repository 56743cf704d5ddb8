select
    order_id,
    customer_id,
    {% if var('use_new_rates') %}discount_rate{% else %}rate_pct{% endif %},
    quantity
from {{ source('raw', 'orders') }}
