from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("shop", "0001_initial")]
    operations = [
        migrations.AddField("order", "region", models.CharField(max_length=20, null=True)),
        migrations.AddIndex("order", models.Index(fields=["region"], name="orders_region")),
        migrations.AlterModelOptions("order", {"ordering": ["order_id"]}),
    ]
