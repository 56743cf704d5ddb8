CREATE OR REPLACE FUNCTION raw.net(amount numeric) RETURNS numeric AS $$
  -- before tax
  SELECT amount * 0.8
$$ LANGUAGE sql;
