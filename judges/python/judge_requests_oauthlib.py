"""requests-oauthlib: code flow with PKCE, userinfo, refresh by itself, logout."""

import os

import requests
from protocol import CLIENT_ID, ISSUER, REDIRECT_URI, log_in, require, step
from requests_oauthlib import OAuth2Session

# The answer comes back to this computer without TLS, which it refuses otherwise (RFC 8252 7.3).
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
metadata = step("discovery", lambda: requests.get(f"{ISSUER}/.well-known/openid-configuration", timeout=30).json())
# By itself it refuses an answer with fewer scopes than it asked for, so it asks for those that there are.
session = OAuth2Session(CLIENT_ID, scope=["openid", "offline_access"], redirect_uri=REDIRECT_URI, pkce="S256")


def login():
    url, _state = session.authorization_url(metadata["authorization_endpoint"])
    return session.fetch_token(
        metadata["token_endpoint"], authorization_response=log_in(url), include_client_id=True
    )


def userinfo():
    require(session.get(metadata["userinfo_endpoint"]).json()["sub"] != "", "no subject")


def refresh(token):
    fresh = session.refresh_token(
        metadata["token_endpoint"], refresh_token=token["refresh_token"], client_id=CLIENT_ID
    )
    require(fresh["access_token"] != token["access_token"], "the access token is the same")


def logout(token):
    answer = requests.get(metadata["end_session_endpoint"], params={"id_token_hint": token["id_token"]}, timeout=30)
    require(answer.status_code == 200, f"status {answer.status_code}")


token = step("login", login)
step("userinfo", userinfo)
step("refresh", lambda: refresh(token))
step("logout", lambda: logout(token))
