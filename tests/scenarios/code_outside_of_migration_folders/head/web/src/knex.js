knex.schema.dropTable("orders");
