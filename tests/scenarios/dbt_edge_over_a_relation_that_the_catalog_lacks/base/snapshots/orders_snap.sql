{% snapshot orders_snap %}
{{ config(
    target_schema='analytics',
    unique_key='order_id',
    strategy='check',
    check_cols='all'
) }}
select * from {{ ref('v_orders') }}
{% endsnapshot %}
