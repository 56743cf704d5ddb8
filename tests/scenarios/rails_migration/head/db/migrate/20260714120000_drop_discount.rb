class DropDiscount < ActiveRecord::Migration[7.1]
  def change
    remove_column :orders, :discount_pct, :decimal
  end
end
