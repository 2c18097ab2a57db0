// Judge: the relying party of zitadel/oidc.
package main

import (
	"context"
	"errors"
	"strings"

	"github.com/zitadel/oidc/v3/pkg/client/rp"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"golang.org/x/oauth2"

	"judges/report"
)

func main() {
	ctx := context.Background()
	party, err := rp.NewRelyingPartyOIDC(ctx, report.Env("ISSUER"), report.Env("CLIENT_ID"), "",
		report.Env("REDIRECT_URI"), strings.Split(report.Env("SCOPE"), " "))
	report.Step("discovery", err)

	verifier, state := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	address := rp.AuthURL(state, party, rp.WithCodeChallenge(oidc.NewSHACodeChallenge(verifier)))
	back := report.LogIn(address)
	if back.Get("state") != state {
		report.Step("login", errors.New("the state differs"))
	}
	tokens, err := rp.CodeExchange[*oidc.IDTokenClaims](ctx, back.Get("code"), party, rp.WithCodeVerifier(verifier))
	report.Step("login and ID token", err)

	info, err := rp.Userinfo[*oidc.UserInfo](ctx, tokens.AccessToken, tokens.TokenType, tokens.IDTokenClaims.Subject, party)
	if err == nil && info.Subject == "" {
		err = errors.New("no subject")
	}
	report.Step("userinfo", err)

	fresh, err := rp.RefreshTokens[*oidc.IDTokenClaims](ctx, party, tokens.RefreshToken, "", "")
	if err == nil && fresh.AccessToken == tokens.AccessToken {
		err = errors.New("the access token is the same")
	}
	report.Step("refresh", err)

	_, err = rp.EndSession(ctx, party, fresh.IDToken, "", "", "", nil)
	report.Step("logout", err)
}
