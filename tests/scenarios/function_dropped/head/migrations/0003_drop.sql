DROP FUNCTION raw.net(numeric);
