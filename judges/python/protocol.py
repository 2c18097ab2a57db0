"""What the judges in Python share: the environment, the person in the browser, and the report."""

import os
import sys

ISSUER = os.environ["ISSUER"]
CLIENT_ID = os.environ["CLIENT_ID"]
REDIRECT_URI = os.environ["REDIRECT_URI"]
SCOPE = os.environ["SCOPE"]


def log_in(url: str) -> str:
    """The address to which the browser comes back."""
    print(f"AUTHORIZE {url}", flush=True)
    return sys.stdin.readline().strip()


def step(name: str, run):
    """Runs one step and reports it. The judge ends with the first that fails."""
    try:
        result = run()
    except Exception as error:  # noqa: BLE001 - whatever the client raises is the verdict
        print(f"STEP {name} failed {type(error).__name__}: {error}".replace("\n", " "), flush=True)
        sys.exit(0)
    print(f"STEP {name} ok", flush=True)
    return result


def require(condition: bool, what: str) -> None:
    if not condition:
        raise AssertionError(what)
