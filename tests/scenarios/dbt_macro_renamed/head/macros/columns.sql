{% macro columns_of_orders() %}
    order_id,
    customer_id,
    discount_pct,
    quantity
{% endmacro %}
