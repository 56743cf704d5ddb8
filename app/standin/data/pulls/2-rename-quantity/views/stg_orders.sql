-- One row an order, as the shop sees it.
create or replace view shop.analytics.stg_orders as
select order_id
     , customer_id
     , discount_pct
     , quantity as units
     , amount_cents / 100 as amount
  from shop.raw.orders;
