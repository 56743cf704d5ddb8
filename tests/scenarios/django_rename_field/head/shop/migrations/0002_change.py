from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("shop", "0001_initial")]
    operations = [
        migrations.RenameField(model_name="order", old_name="discount_pct", new_name="discount_rate"),
    ]
