"""Two trees -> removals: what does this change take away, and how surely. Pure."""

from app.change.coercion import Outcome, decide_reader, find_handed_on
from app.change.definitions import BuiltBy, find_definitions, find_root_path
from app.change.dialects import choose_dialect, find_dialect_folders
from app.change.feast import FeastService, FeastView, find_feast_services, find_feast_views
from app.change.feast_tables import FeatureTable, find_feature_tables
from app.change.files import classify, find_dbt_folders, is_relevant, may_hold_queries
from app.change.foreign import find_migration_texts
from app.change.frozen import INVALIDATED_BY
from app.change.lasting import find_lasting
from app.change.parse import ParseItem, has_no_text, parse_file
from app.change.paths import find_root_kind, is_sql_folder
from app.change.removal import FileKind, Marks, ParsedFile, Query, Removal, RemovalReport
from app.change.removals import find_removals
from app.change.routines import TriggerBodies, find_gone, find_trigger_bodies
from app.change.schema import find_schema
from app.change.step_names import find_step_relations
from app.change.unread import find_conflicts
from app.change.unread_writers import WRITER_FILES, find_unread_writers

__all__ = [
    "INVALIDATED_BY",
    "WRITER_FILES",
    "BuiltBy",
    "FeastService",
    "FeastView",
    "FeatureTable",
    "FileKind",
    "Marks",
    "Outcome",
    "ParseItem",
    "ParsedFile",
    "Query",
    "Removal",
    "RemovalReport",
    "TriggerBodies",
    "choose_dialect",
    "classify",
    "decide_reader",
    "find_conflicts",
    "find_dbt_folders",
    "find_definitions",
    "find_dialect_folders",
    "find_feast_services",
    "find_feast_views",
    "find_feature_tables",
    "find_gone",
    "find_handed_on",
    "find_lasting",
    "find_migration_texts",
    "find_removals",
    "find_root_kind",
    "find_root_path",
    "find_schema",
    "find_step_relations",
    "find_trigger_bodies",
    "find_unread_writers",
    "has_no_text",
    "is_relevant",
    "is_sql_folder",
    "may_hold_queries",
    "parse_file",
]
