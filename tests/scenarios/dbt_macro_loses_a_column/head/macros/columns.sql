{% macro order_columns() %}
    order_id,
    customer_id,
    quantity
{% endmacro %}
