package migrations

func init() {
	goose.AddMigrationContext(upDropDiscount, nil)
}
