package db.migration;

public class V2__Drop_discount extends BaseJavaMigration {
}
