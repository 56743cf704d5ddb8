select
{{ order_columns() }}
from {{ source('raw', 'orders') }}
