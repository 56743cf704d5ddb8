SELECT pg_notify('deploy', 'ALTER TABLE shop.raw.orders was run');
