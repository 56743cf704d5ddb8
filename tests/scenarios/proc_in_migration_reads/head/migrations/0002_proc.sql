CREATE OR REPLACE PROCEDURE shop.features.refresh() LANGUAGE SQL AS $$
BEGIN
  INSERT INTO shop.features.customer_features (customer_id, discount_sensitivity) SELECT customer_id, AVG(discount_pct) FROM shop.raw.orders GROUP BY customer_id;
END;
$$;