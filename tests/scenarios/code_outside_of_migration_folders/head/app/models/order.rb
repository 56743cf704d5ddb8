# remove_column :orders, :discount_pct
