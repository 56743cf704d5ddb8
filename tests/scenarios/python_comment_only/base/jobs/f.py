# discount_pct of shop.raw.orders is used nowhere
print("hello")
