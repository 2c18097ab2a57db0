"""Authlib: discovery, code flow with PKCE, ID token, userinfo, refresh with the scope of the login, logout."""

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from protocol import CLIENT_ID, ISSUER, REDIRECT_URI, SCOPE, log_in, require, step

metadata = step("discovery", lambda: requests.get(f"{ISSUER}/.well-known/openid-configuration", timeout=30).json())
session = OAuth2Session(
    CLIENT_ID,
    scope=SCOPE,
    redirect_uri=REDIRECT_URI,
    code_challenge_method="S256",
    token_endpoint_auth_method="none",
    token_endpoint=metadata["token_endpoint"],
)
verifier = generate_token(48)
nonce = generate_token()


def login():
    url, _state = session.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce
    )
    return session.fetch_token(metadata["token_endpoint"], authorization_response=log_in(url), code_verifier=verifier)


def id_token(token):
    keys = JsonWebKey.import_key_set(requests.get(metadata["jwks_uri"], timeout=30).json())
    claims = jwt.decode(token["id_token"], keys)
    claims.validate(leeway=5)
    require(claims["iss"] == metadata["issuer"] and claims["nonce"] == nonce, "iss or nonce differ")
    return claims


def userinfo(subject):
    info = session.get(metadata["userinfo_endpoint"]).json()
    require(info["sub"] == subject, "the subject differs")


def refresh(token):
    fresh = session.refresh_token(metadata["token_endpoint"], refresh_token=token["refresh_token"], scope=SCOPE)
    require(fresh["access_token"] != token["access_token"], "the access token is the same")


def logout(token):
    answer = requests.get(metadata["end_session_endpoint"], params={"id_token_hint": token["id_token"]}, timeout=30)
    require(answer.status_code == 200, f"status {answer.status_code}")


token = step("login", login)
claims = step("ID token", lambda: id_token(token))
step("userinfo", lambda: userinfo(claims["sub"]))
step("refresh", lambda: refresh(token))
step("logout", lambda: logout(token))
