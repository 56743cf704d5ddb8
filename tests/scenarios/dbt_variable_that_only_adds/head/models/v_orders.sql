select
    order_id,
    customer_id,
    discount_pct,
    quantity{% if var('with_region') %},
    region{% endif %}
from {{ source('raw', 'orders') }}
