-- discount_pct will go next quarter
create or replace view shop.analytics.v_orders as select ORDER_ID, o.customer_id, Discount_Pct, quantity /* all of them */ from shop.raw.orders as o;
