select
{{ columns_of_orders() }}
from {{ source('raw', 'orders') }}
