"""mod_auth_openidc in front of a page: Apache logs people in, hands their claims to the page, refreshes, logs out."""

import os
import shutil
import subprocess
import tempfile
import time
from urllib.parse import urlsplit

import requests
from protocol import CLIENT_ID, ISSUER, REDIRECT_URI, SCOPE, log_in, require, step

port = urlsplit(REDIRECT_URI).port
site = f"http://localhost:{port}"
modules = "/usr/lib/apache2/modules"
folder = tempfile.mkdtemp()
os.chmod(folder, 0o755)
with open(f"{folder}/index.html", "w", encoding="utf-8") as page:
    page.write("protected page")
# Apache reads it as a user that may not enter the folder of the service.
shutil.copy(os.environ["CA_FILE"], f"{folder}/ca.pem")
os.chmod(f"{folder}/ca.pem", 0o644)
with open(f"{folder}/apache.conf", "w", encoding="utf-8") as conf:
    conf.write(f"""
ServerName localhost
User www-data
Group www-data
Listen 127.0.0.1:{port}
PidFile {folder}/pid
ErrorLog {folder}/error.log
DocumentRoot {folder}
LoadModule mpm_prefork_module {modules}/mod_mpm_prefork.so
LoadModule authn_core_module {modules}/mod_authn_core.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule authz_user_module {modules}/mod_authz_user.so
LoadModule dir_module {modules}/mod_dir.so
LoadModule auth_openidc_module {modules}/mod_auth_openidc.so
OIDCProviderMetadataURL {ISSUER}/.well-known/openid-configuration
OIDCCABundlePath {folder}/ca.pem
OIDCClientID {CLIENT_ID}
OIDCClientSecret {os.environ["CLIENT_SECRET"]}
OIDCRedirectURI {REDIRECT_URI}
OIDCScope "{SCOPE}"
OIDCPKCEMethod S256
OIDCCryptoPassphrase judge
OIDCInfoHook iat access_token id_token userinfo refresh_token
<Location />
  AuthType openid-connect
  Require valid-user
</Location>
""")
# A group of its own: when Apache ends, it ends its whole group.
apache = subprocess.Popen(
    ["apache2", "-f", f"{folder}/apache.conf", "-DFOREGROUND"],
    stdout=subprocess.DEVNULL,
    stderr=subprocess.DEVNULL,
    start_new_session=True,
)
browser = requests.Session()


def start():
    for _ in range(100):
        try:
            answer = browser.get(f"{site}/", allow_redirects=False, timeout=10)
        except requests.ConnectionError:
            time.sleep(0.1)
            continue
        require(answer.status_code == 302, f"status {answer.status_code}")
        return answer.headers["location"]
    raise AssertionError("Apache did not start")


def login(url):
    back = browser.get(log_in(url), timeout=30)
    require(back.text == "protected page", f"{back.status_code} {back.text[:100]}")


def info():
    return browser.get(f"{REDIRECT_URI}?info=json", timeout=30).json()


def userinfo():
    require(info()["userinfo"]["sub"] != "", "no subject")


def refresh():
    before = info()["access_token"]
    answer = browser.get(f"{REDIRECT_URI}?refresh={site}/&access_token={before}", timeout=30)
    require(answer.status_code == 200 and "error" not in answer.url, f"{answer.status_code} {answer.url}")
    require(info()["access_token"] != before, "the access token is the same")


def logout():
    answer = browser.get(f"{REDIRECT_URI}?logout={site}/", allow_redirects=False, timeout=30)
    require(answer.headers["location"].startswith(f"{ISSUER}/end_session"), "no way to the provider")
    end = requests.get(answer.headers["location"], allow_redirects=False, timeout=30)
    require(end.status_code in (200, 302), f"status {end.status_code}")


try:
    url = step("discovery", start)
    step("login and ID token", lambda: login(url))
    step("userinfo", userinfo)
    step("refresh", refresh)
    step("logout", logout)
finally:
    apache.terminate()
    apache.wait()
