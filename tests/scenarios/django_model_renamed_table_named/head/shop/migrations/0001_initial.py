from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name="Order",
            fields=[
                ("order_id", models.IntegerField(primary_key=True)),
                ("customer", models.ForeignKey(on_delete=models.CASCADE, to="shop.customer")),
                ("discount_pct", models.DecimalField(max_digits=5, decimal_places=4)),
                ("quantity", models.IntegerField(null=True)),
            ],
            options={"db_table": "orders"},
        ),
    ]
