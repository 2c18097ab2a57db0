"""nginx in front of a page: auth_request asks userinfo whether the Bearer token of a request is good."""

import base64
import hashlib
import os
import secrets
import shutil
import subprocess
import tempfile
import time
from urllib.parse import parse_qs, urlencode, urlsplit

import requests
from protocol import CLIENT_ID, ISSUER, REDIRECT_URI, SCOPE, log_in, require, step

port = urlsplit(REDIRECT_URI).port
site = f"http://localhost:{port}"
ca_file = os.environ["CA_FILE"]
folder = tempfile.mkdtemp()
os.chmod(folder, 0o755)
with open(f"{folder}/index.html", "w", encoding="utf-8") as page:
    page.write("protected page")
# nginx reads it as a user that may not enter the folder of the service.
shutil.copy(ca_file, f"{folder}/ca.pem")
os.chmod(f"{folder}/ca.pem", 0o644)
with open(f"{folder}/nginx.conf", "w", encoding="utf-8") as conf:
    conf.write(f"""
user www-data;
pid {folder}/pid;
error_log {folder}/error.log;
daemon off;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    root {folder};
    location / {{
      auth_request /_auth;
    }}
    location = /_auth {{
      internal;
      proxy_pass {ISSUER}/userinfo;
      proxy_method GET;
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
      proxy_set_header Host {urlsplit(ISSUER).netloc};
      proxy_ssl_server_name on;
      proxy_ssl_name {urlsplit(ISSUER).hostname};
      proxy_ssl_trusted_certificate {folder}/ca.pem;
      proxy_ssl_verify on;
      proxy_ssl_verify_depth 3;
    }}
  }}
}}
""")
nginx = subprocess.Popen(
    ["nginx", "-c", f"{folder}/nginx.conf"],
    stdout=subprocess.DEVNULL,
    stderr=subprocess.DEVNULL,
    start_new_session=True,
)
verifier = secrets.token_urlsafe(32)
challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def ask(token=None):
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return requests.get(f"{site}/", headers=headers, timeout=30)


def without_token():
    for _ in range(100):
        try:
            answer = ask()
        except requests.ConnectionError:
            time.sleep(0.1)
            continue
        require(answer.status_code == 401, f"status {answer.status_code}")
        require("www-authenticate" in answer.headers, "no challenge")
        return
    raise AssertionError("nginx did not start")


def login():
    """As any client gets one; nginx itself has no login."""
    query = {
        "response_type": "code",
        "client_id": CLIENT_ID,
        "redirect_uri": REDIRECT_URI,
        "scope": SCOPE,
        "state": "s",
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    back = log_in(f"{ISSUER}/authorization?{urlencode(query)}")
    form = {
        "grant_type": "authorization_code",
        "code": parse_qs(urlsplit(back).query)["code"][0],
        "redirect_uri": REDIRECT_URI,
        "code_verifier": verifier,
    }
    auth = (CLIENT_ID, os.environ["CLIENT_SECRET"])
    return requests.post(f"{ISSUER}/token", data=form, auth=auth, timeout=30).json()


def with_token(token):
    answer = ask(token)
    require(answer.text == "protected page", f"{answer.status_code} {answer.text[:100]}")


def with_wrong_token(token):
    require(ask(f"{token}x").status_code == 401, "a token that was changed passes")


def after_logout(tokens):
    requests.get(f"{ISSUER}/end_session", params={"id_token_hint": tokens["id_token"]}, timeout=30)
    require(ask(tokens["access_token"]).status_code == 401, "the token passes after the logout")


try:
    step("no token is 401", without_token)
    tokens = step("login", login)
    step("token passes", lambda: with_token(tokens["access_token"]))
    step("wrong token is 401", lambda: with_wrong_token(tokens["access_token"]))
    step("401 after logout", lambda: after_logout(tokens))
finally:
    nginx.terminate()
    nginx.wait()
