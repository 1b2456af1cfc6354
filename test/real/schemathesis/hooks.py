"""What Schemathesis must not do to the service that it tests, and one thing that it gets wrong."""

import os
import re

import schemathesis

# The key that the requests come with: without it every further request would be 401.
OWN_KEY = os.environ["OWN_KEY_ID"]
ENTITY_TAGS = re.compile(r'^\*$|"')
# Latin letters and signs are visible; that is enough to generate.
HARD_TO_SEE = re.compile(r"[^\t\n\r\x20-\xac\xae-\u02ff]")


def is_of_own_key(case) -> bool:
    changes = case.method == "DELETE" or case.path.endswith("/rotate")
    return changes and str((case.path_parameters or {}).get("keyId")) == OWN_KEY


def is_called_valid(case) -> bool:
    return case.meta is not None and case.meta.generation.mode.value == "positive"


def with_visible(value):
    """Text with no characters that the descriptions refuse and no portable pattern can express."""
    if isinstance(value, str):
        return HARD_TO_SEE.sub("x", value)
    if isinstance(value, list):
        return [with_visible(item) for item in value]
    if isinstance(value, dict):
        return {name: with_visible(item) for name, item in value.items()}
    return value


@schemathesis.serializer("application/gzip", "application/zip")
def archive(ctx, value):
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def before_call(ctx, case, kwargs):
    if is_of_own_key(case):
        case.path_parameters["keyId"] = "999999999"
    # Schemathesis 4.32.5 finds no valid value for a pattern that wants quotes in a header, and sends 0 in its place.
    if is_called_valid(case) and not ENTITY_TAGS.search((case.headers or {}).get("If-Match", "*")):
        del case.headers["If-Match"]
    if is_called_valid(case):
        case.body = with_visible(case.body)
