{{ config(materialized='table', post_hook="update {{ this }} f set discount_sensitivity = (select avg(discount_pct) from {{ ref('stg_orders') }} s where s.customer_id = f.customer_id)") }}
select customer_id, cast(null as float) as discount_sensitivity, count(*) as order_count from {{ ref('stg_orders') }} group by 1
