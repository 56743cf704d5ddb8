CREATE OR REPLACE FUNCTION raw.net(amount numeric) RETURNS numeric AS $$
  SELECT amount * 0.8
$$ LANGUAGE sql;
