select region_id as customer_id, avg(weight) as discount_sensitivity
from {{ ref('regions') }}
group by region_id
