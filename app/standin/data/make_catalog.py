"""Write the demo's catalog, catalog.json, with DataHub's own SDK: a list of MCPs as the file sink writes them.

    python app/standin/data/make_catalog.py [FILE]

The shop's graph on a cold day: three features have their whole path, one view edge is missing, one feature has only its own
table, one is computed by Python. SageMaker's two spellings of one endpoint (name, ARN) are both there, as its connector emits
them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import datahub.emitter.mce_builder as urns
import datahub.metadata.schema_classes as m
from datahub.emitter.mcp import MetadataChangeProposalWrapper as Mcp

TYPES = {
    "NUMBER": m.NumberTypeClass,
    "FLOAT": m.NumberTypeClass,
    "VARCHAR": m.StringTypeClass,
    "TIMESTAMP_NTZ": m.TimeTypeClass,
}
DATASETS: dict[str, tuple[str, dict[str, str]]] = {  # name -> owner, columns
    "shop.raw.orders": (
        "orders-platform",
        {
            "order_id": "NUMBER",
            "customer_id": "NUMBER",
            "discount_pct": "NUMBER(5,4)",
            "quantity": "NUMBER",
            "amount_cents": "NUMBER",
            "created_at": "TIMESTAMP_NTZ",
        },
    ),
    "shop.raw.customers": ("crm", {"customer_id": "NUMBER", "tier": "VARCHAR", "signup_at": "TIMESTAMP_NTZ"}),
    "shop.raw.events": (
        "web-platform",
        {"event_id": "NUMBER", "user_id": "NUMBER", "kind": "VARCHAR", "page_views": "NUMBER", "ts": "TIMESTAMP_NTZ"},
    ),
    "shop.raw.payments": (
        "payments",
        {
            "payment_id": "NUMBER",
            "customer_id": "NUMBER",
            "status": "VARCHAR",
            "amount_cents": "NUMBER",
            "paid_at": "TIMESTAMP_NTZ",
        },
    ),
    "shop.raw.promotions": ("marketing", {"promo_id": "NUMBER", "discount_pct": "NUMBER(5,4)", "channel": "VARCHAR"}),
    "shop.analytics.stg_orders": (
        "analytics-eng",
        {
            "order_id": "NUMBER",
            "customer_id": "NUMBER",
            "discount_pct": "NUMBER(5,4)",
            "quantity": "NUMBER",
            "amount": "NUMBER(38,6)",
        },
    ),
    "shop.analytics.v_sessions": (
        "analytics-eng",
        {"event_id": "NUMBER", "user_id": "NUMBER", "kind": "VARCHAR", "page_views": "NUMBER", "ts": "TIMESTAMP_NTZ"},
    ),
    "shop.features.customer_features": ("growth-ml", {"customer_id": "NUMBER", "discount_sensitivity": "FLOAT"}),
    "shop.features.basket_features": (
        "pricing-ml",
        {"customer_id": "NUMBER", "avg_basket_qty": "FLOAT", "units_90d": "NUMBER"},
    ),
    "shop.features.session_features": ("growth-ml", {"customer_id": "NUMBER", "session_depth_7d": "FLOAT"}),
    "shop.features.payment_features": ("risk-ml", {"customer_id": "NUMBER", "failed_payments_30d": "NUMBER"}),
    "shop.features.segment_features": ("crm-ml", {"customer_id": "NUMBER", "tier_code": "NUMBER"}),
}
#: downstream -> {column: upstream columns}: what the catalog knows when the demo starts, filters and grouping included
LINEAGE = {
    "shop.analytics.stg_orders": {
        "order_id": ["shop.raw.orders.order_id"],
        "customer_id": ["shop.raw.orders.customer_id"],
        "discount_pct": ["shop.raw.orders.discount_pct"],
        "quantity": ["shop.raw.orders.quantity"],
        "amount": ["shop.raw.orders.amount_cents"],
    },
    "shop.features.basket_features": {
        "customer_id": ["shop.analytics.stg_orders.customer_id"],
        "avg_basket_qty": ["shop.analytics.stg_orders.quantity", "shop.analytics.stg_orders.customer_id"],
        "units_90d": ["shop.analytics.stg_orders.quantity", "shop.analytics.stg_orders.customer_id"],
    },
    "shop.features.payment_features": {
        "customer_id": ["shop.raw.payments.customer_id"],
        "failed_payments_30d": [
            "shop.raw.payments.status",
            "shop.raw.payments.paid_at",
            "shop.raw.payments.customer_id",
        ],
    },
    "shop.features.segment_features": {
        "customer_id": ["shop.raw.customers.customer_id"],
        "tier_code": ["shop.raw.customers.tier"],
    },
}
FEATURES = {  # feature -> description, source datasets
    "customer_features.discount_sensitivity": (
        "Mean discount a customer buys at.",
        ["shop.features.customer_features"],
    ),
    "basket_features.avg_basket_qty": ("Mean number of pieces in an order.", ["shop.features.basket_features"]),
    "basket_features.units_90d": ("Pieces bought in 90 days.", ["shop.features.basket_features"]),
    "session_features.session_depth_7d": ("Mean page views of a session.", ["shop.features.session_features"]),
    "payment_features.failed_payments_30d": ("Failed payments in 30 days.", ["shop.features.payment_features"]),
    "segment_features.tier_code": ("The customer's tier as a number.", ["shop.features.segment_features"]),
    "seasonality_features.seasonality_index": ("How busy a week is against the average week.", []),
}
ENDPOINT_ARN = "arn:aws:sagemaker:eu-central-1:123456789012:endpoint/pricing-live"
RETIRED_ARN = "arn:aws:sagemaker:eu-central-1:123456789012:endpoint/recommender"


def millis(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)


def dataset(name: str) -> str:
    return urns.make_dataset_urn("snowflake", name, "PROD")


def feature(name: str) -> str:
    return urns.make_ml_feature_urn(*name.split("."))


def model(platform: str, name: str) -> str:
    return urns.make_ml_model_urn(platform, name, "PROD")


def deployment(platform: str, name: str) -> str:
    return urns.make_ml_model_deployment_urn(platform, name, "PROD")


def owned_by(urn: str, group: str) -> Mcp:
    owner = m.OwnerClass(owner=urns.make_group_urn(group), type=m.OwnershipTypeClass.TECHNICAL_OWNER)
    return Mcp(entityUrn=urn, aspect=m.OwnershipClass(owners=[owner]))


def stamp(day: str = "2026-01-05") -> m.AuditStampClass:
    return m.AuditStampClass(time=millis(day), actor="urn:li:corpuser:datahub")


def datasets() -> Iterator[Mcp]:
    for name, (owner, columns) in DATASETS.items():
        urn = dataset(name)
        yield Mcp(entityUrn=urn, aspect=m.DatasetPropertiesClass(name=name.split(".")[-1], qualifiedName=name))
        yield Mcp(entityUrn=urn, aspect=m.StatusClass(removed=False))
        yield owned_by(urn, owner)
        fields = [
            m.SchemaFieldClass(
                fieldPath=column,
                type=m.SchemaFieldDataTypeClass(type=TYPES[native.split("(")[0]]()),
                nativeDataType=native,
                nullable=True,
            )
            for column, native in columns.items()
        ]
        yield Mcp(
            entityUrn=urn,
            aspect=m.SchemaMetadataClass(
                schemaName=name,
                platform="urn:li:dataPlatform:snowflake",
                version=0,
                hash="",
                platformSchema=m.OtherSchemaClass(rawSchema=""),
                fields=fields,
            ),
        )
        if name in LINEAGE:
            yield lineage(name, LINEAGE[name])
        if ".analytics." in name:
            yield Mcp(entityUrn=urn, aspect=m.SubTypesClass(typeNames=["View"]))


def lineage(name: str, columns: dict[str, list[str]]) -> Mcp:
    tables = dict.fromkeys(source.rpartition(".")[0] for sources in columns.values() for source in sources)
    return Mcp(
        entityUrn=dataset(name),
        aspect=m.UpstreamLineageClass(
            upstreams=[
                m.UpstreamClass(dataset=dataset(table), type=m.DatasetLineageTypeClass.TRANSFORMED, auditStamp=stamp())
                for table in tables
            ],
            fineGrainedLineages=[
                m.FineGrainedLineageClass(
                    upstreamType=m.FineGrainedLineageUpstreamTypeClass.FIELD_SET,
                    upstreams=[field(source) for source in sources],
                    downstreamType=m.FineGrainedLineageDownstreamTypeClass.FIELD,
                    downstreams=[urns.make_schema_field_urn(dataset(name), column)],
                )
                for column, sources in columns.items()
            ],
        ),
    )


def field(dotted: str) -> str:
    table, _, column = dotted.rpartition(".")
    return urns.make_schema_field_urn(dataset(table), column)


def features() -> Iterator[Mcp]:
    tables: dict[str, list[str]] = {}
    for name, (text, sources) in FEATURES.items():
        tables.setdefault(name.split(".")[0], []).append(feature(name))
        aspect = m.MLFeaturePropertiesClass(
            description=text,
            dataType=m.MLFeatureDataTypeClass.CONTINUOUS,
            sources=[dataset(source) for source in sources],
        )
        yield Mcp(entityUrn=feature(name), aspect=aspect)
    for table, members in tables.items():
        urn = urns.make_ml_feature_table_urn("feast", table)
        yield Mcp(entityUrn=urn, aspect=m.MLFeatureTablePropertiesClass(mlFeatures=members))


def models() -> Iterator[Mcp]:
    yield from churn()
    yield from pricing()
    yield from fraud()
    yield from ltv()
    yield from demand()
    yield from retired()
    yield from triage()


def described(urn: str, name: str, inputs: list[str], trained: str, **more: object) -> Mcp:
    aspect = m.MLModelPropertiesClass(
        name=name,
        created=m.TimeStampClass(time=millis(trained), actor="urn:li:corpuser:datahub"),
        mlFeatures=[feature(i) for i in inputs],
        **more,  # type: ignore[arg-type]  # keyword arguments of the same class
    )
    return Mcp(entityUrn=urn, aspect=aspect)


def version(urn: str, group: str, number: str, aliases: list[str]) -> Mcp:
    return Mcp(
        entityUrn=urn,
        aspect=m.VersionPropertiesClass(
            versionSet=f"urn:li:versionSet:({group},mlModel)",
            version=m.VersionTagClass(versionTag=number),
            sortId=number.zfill(8),
            aliases=[m.VersionTagClass(versionTag=alias) for alias in aliases],
        ),
    )


def churn() -> Iterator[Mcp]:
    """MLflow: a version in production by stage tag and alias, and its challenger."""
    group = urns.make_ml_model_group_urn("mlflow", "churn_propensity", "PROD")
    yield Mcp(entityUrn=group, aspect=m.MLModelGroupPropertiesClass(name="churn_propensity"))
    inputs = ["customer_features.discount_sensitivity", "session_features.session_depth_7d"]
    for number, trained, tag, alias, reads in (
        ("4", "2026-07-14", "mlflow_production", "champion", inputs),
        ("5", "2026-08-01", "mlflow_staging", "challenger", inputs[:1]),
    ):
        urn, run = (
            model("mlflow", f"churn_propensity_v{number}"),
            f"urn:li:dataProcessInstance:churn-propensity-run-{number}",
        )
        yield described(urn, f"churn_propensity_v{number}", reads, trained, groups=[group], trainingJobs=[run])
        yield version(urn, "churn_propensity", number, [alias])
        yield Mcp(entityUrn=urn, aspect=m.GlobalTagsClass(tags=[m.TagAssociationClass(tag=urns.make_tag_urn(tag))]))
        yield owned_by(urn, "growth-ml")
        yield Mcp(
            entityUrn=run, aspect=m.DataProcessInstancePropertiesClass(name=f"train v{number}", created=stamp(trained))
        )
        yield Mcp(
            entityUrn=run,
            aspect=m.DataProcessInstanceRunEventClass(
                timestampMillis=millis(trained),
                status=m.DataProcessRunStatusClass.COMPLETE,
                result=m.DataProcessInstanceRunResultClass(
                    type=m.RunResultTypeClass.SUCCESS, nativeResultType="mlflow"
                ),
            ),
        )


def pricing() -> Iterator[Mcp]:
    """SageMaker: the model names its endpoint by ARN, the endpoint's entity is named by its name."""
    urn = model("sagemaker", "dynamic_pricing_v2")
    yield described(
        urn,
        "dynamic_pricing_v2",
        ["basket_features.avg_basket_qty", "basket_features.units_90d"],
        "2026-06-30",
        deployments=[deployment("sagemaker", ENDPOINT_ARN)],
    )
    yield owned_by(urn, "pricing-ml")
    yield endpoint(deployment("sagemaker", "pricing-live"), m.DeploymentStatusClass.IN_SERVICE)


def endpoint(urn: str, status: str | None = None) -> Mcp:
    return Mcp(entityUrn=urn, aspect=m.MLModelDeploymentPropertiesClass(status=status))


def fraud() -> Iterator[Mcp]:
    """Databricks: an alias says that it serves."""
    urn = model("databricks", "fraud_screen_v7")
    yield described(urn, "fraud_screen_v7", ["payment_features.failed_payments_30d"], "2026-07-21")
    yield version(urn, "fraud_screen", "7", ["champion"])
    yield owned_by(urn, "risk-ml")


def ltv() -> Iterator[Mcp]:
    """Vertex AI: an endpoint without a status, and a property that says it serves."""
    urn = model("vertexai", "ltv_uplift_v1")
    live = deployment("vertexai", "shop.endpoint.4711")
    yield described(
        urn,
        "ltv_uplift_v1",
        ["segment_features.tier_code"],
        "2026-05-02",
        deployments=[live],
        customProperties={"serving": "true"},
    )
    yield endpoint(live)
    yield owned_by(urn, "crm-ml")


def demand() -> Iterator[Mcp]:
    """Vertex AI: a weekly batch job."""
    urn = model("vertexai", "demand_forecast_v3")
    yield described(
        urn,
        "demand_forecast_v3",
        ["seasonality_features.seasonality_index"],
        "2026-07-01",
        customProperties={"serving": "true", "schedule": "weekly batch"},
    )
    yield owned_by(urn, "supply-ml")


def retired() -> Iterator[Mcp]:
    """SageMaker: out of service and deprecated."""
    urn = model("sagemaker", "recommender_v1")
    yield described(
        urn,
        "recommender_v1",
        ["basket_features.units_90d"],
        "2024-02-10",
        deployments=[deployment("sagemaker", RETIRED_ARN)],
    )
    yield endpoint(deployment("sagemaker", "recommender"), m.DeploymentStatusClass.OUT_OF_SERVICE)
    yield Mcp(
        entityUrn=urn,
        aspect=m.DeprecationClass(deprecated=True, note="superseded", actor="urn:li:corpuser:datahub"),
    )
    yield owned_by(urn, "web-ml")


def triage() -> Iterator[Mcp]:
    """A dbt exposure of type ml: DataHub makes a dashboard of it."""
    urn = urns.make_dashboard_urn("dbt", "exposure.shop.support_triage")
    yield Mcp(
        entityUrn=urn,
        aspect=m.DashboardInfoClass(
            title="support_triage",
            description="",
            lastModified=m.ChangeAuditStampsClass(created=stamp(), lastModified=stamp()),
            datasets=[dataset("shop.features.payment_features")],
            customProperties={"exposure_type": "ml", "maturity": "low"},
        ),
    )
    yield Mcp(entityUrn=urn, aspect=m.SubTypesClass(typeNames=["ML Model"]))
    yield owned_by(urn, "support-ops")


def render() -> str:
    proposals = [*datasets(), *features(), *models()]
    for proposal in proposals:
        if not proposal.validate():
            raise SystemExit(f"the SDK refuses {proposal.entityUrn} {proposal.aspectName}")
    return json.dumps([proposal.to_obj(simplified_structure=True) for proposal in proposals], indent=1) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("catalog.json")).write_text(render())
