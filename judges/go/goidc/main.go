// Judge: go-oidc with golang.org/x/oauth2.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"judges/report"
)

func main() {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, report.Env("ISSUER"))
	report.Step("discovery", err)
	config := oauth2.Config{
		ClientID:    report.Env("CLIENT_ID"),
		RedirectURL: report.Env("REDIRECT_URI"),
		Endpoint:    provider.Endpoint(),
		Scopes:      strings.Split(report.Env("SCOPE"), " "),
	}
	verifier := oauth2.GenerateVerifier()
	nonce, state := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	back := report.LogIn(config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)))
	if back.Get("state") != state {
		report.Step("login", errors.New("the state differs"))
	}
	token, err := config.Exchange(ctx, back.Get("code"), oauth2.VerifierOption(verifier))
	report.Step("login", err)

	raw, _ := token.Extra("id_token").(string)
	idToken, err := provider.Verifier(&oidc.Config{ClientID: config.ClientID}).Verify(ctx, raw)
	if err == nil && idToken.Nonce != nonce {
		err = errors.New("the nonce differs")
	}
	report.Step("ID token", err)

	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err == nil && info.Subject != idToken.Subject {
		err = errors.New("the subject differs")
	}
	report.Step("userinfo", err)

	old := *token
	old.Expiry = time.Now().Add(-time.Hour)
	fresh, err := config.TokenSource(ctx, &old).Token()
	if err == nil && fresh.AccessToken == token.AccessToken {
		err = errors.New("the access token is the same")
	}
	report.Step("refresh", err)

	var more struct {
		EndSession string `json:"end_session_endpoint"`
	}
	report.Step("metadata", provider.Claims(&more))
	answer, err := http.Get(more.EndSession + "?" + url.Values{"id_token_hint": {raw}}.Encode())
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d", answer.StatusCode)
	}
	report.Step("logout", err)
}
