exports.up = (knex) =>
  knex.schema.alterTable("orders", (table) => table.dropColumn("discount_pct"));
