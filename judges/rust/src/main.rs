//! Judge: the openidconnect crate.

use std::{env, fs, io, process};

use openidconnect::core::{CoreAuthenticationFlow, CoreClient, CoreProviderMetadata, CoreUserInfoClaims};
use openidconnect::{
    AuthorizationCode, ClientId, CsrfToken, IssuerUrl, Nonce, OAuth2TokenResponse, PkceCodeChallenge,
    RedirectUrl, Scope, TokenResponse, reqwest, url::Url,
};

fn step<T, E: std::fmt::Debug>(name: &str, result: Result<T, E>) -> T {
    match result {
        Ok(value) => {
            println!("STEP {name} ok");
            value
        }
        Err(error) => {
            println!("STEP {name} failed {}", format!("{error:?}").replace('\n', " "));
            process::exit(0)
        }
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("missing {name}"))
}

fn main() {
    let root = reqwest::Certificate::from_pem(&fs::read(variable("CA_FILE")).unwrap()).unwrap();
    let http = reqwest::blocking::Client::builder()
        .add_root_certificate(root)
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let issuer = IssuerUrl::new(variable("ISSUER")).unwrap();
    let metadata = step("discovery", CoreProviderMetadata::discover(&issuer, &http));
    let client = CoreClient::from_provider_metadata(metadata, ClientId::new(variable("CLIENT_ID")), None)
        .set_redirect_uri(RedirectUrl::new(variable("REDIRECT_URI")).unwrap());

    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let mut request = client.authorize_url(
        CoreAuthenticationFlow::AuthorizationCode,
        CsrfToken::new_random,
        Nonce::new_random,
    );
    for scope in variable("SCOPE").split(' ').filter(|scope| *scope != "openid") {
        request = request.add_scope(Scope::new(scope.to_string()));
    }
    let (address, state, nonce) = request.set_pkce_challenge(challenge).url();
    println!("AUTHORIZE {address}");
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let back = Url::parse(line.trim()).unwrap();
    let value = |name: &str| back.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.to_string());
    assert_eq!(value("state").as_deref(), Some(state.secret().as_str()));

    let code = AuthorizationCode::new(value("code").unwrap());
    let tokens = step("login", client.exchange_code(code).unwrap().set_pkce_verifier(verifier).request(&http));
    let id_token = tokens.id_token().unwrap();
    let claims = step("ID token", id_token.claims(&client.id_token_verifier(), &nonce));
    let subject = claims.subject().clone();
    let info: Result<CoreUserInfoClaims, _> = client
        .user_info(tokens.access_token().clone(), Some(subject))
        .unwrap()
        .request(&http);
    step("userinfo", info);
    let refresh = tokens.refresh_token().unwrap();
    step("refresh", client.exchange_refresh_token(refresh).unwrap().request(&http));
    let end = format!("{}/end_session?id_token_hint={}", variable("ISSUER"), id_token.to_string());
    step("logout", http.get(end).send().and_then(|answer| answer.error_for_status()));
}
