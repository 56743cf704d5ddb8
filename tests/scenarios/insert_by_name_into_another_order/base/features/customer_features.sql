INSERT INTO shop.features.customer_features
BY NAME SELECT * FROM shop.a.v;
