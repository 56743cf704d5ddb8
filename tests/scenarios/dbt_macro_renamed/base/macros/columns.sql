{% macro order_columns() %}
    order_id,
    customer_id,
    discount_pct,
    quantity
{% endmacro %}
