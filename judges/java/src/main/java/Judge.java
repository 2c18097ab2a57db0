import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.springframework.security.oauth2.client.endpoint.OAuth2AuthorizationCodeGrantRequest;
import org.springframework.security.oauth2.client.endpoint.OAuth2RefreshTokenGrantRequest;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.endpoint.RestClientRefreshTokenTokenResponseClient;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenDecoderFactory;
import org.springframework.security.oauth2.client.oidc.userinfo.OidcUserRequest;
import org.springframework.security.oauth2.client.oidc.userinfo.OidcUserService;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.core.endpoint.OAuth2AccessTokenResponse;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationExchange;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationResponse;
import org.springframework.security.oauth2.core.oidc.OidcIdToken;
import org.springframework.security.oauth2.jwt.Jwt;

/** Judge: the classes of Spring Security, as its starter puts them together for a client with a secret. */
public final class Judge {
  public static void main(String[] args) throws Exception {
    String issuer = System.getenv("ISSUER");
    String redirectUri = System.getenv("REDIRECT_URI");
    ClientRegistration client = step("discovery", () -> ClientRegistrations.fromIssuerLocation(issuer)
        .clientId(System.getenv("CLIENT_ID"))
        .clientSecret(System.getenv("CLIENT_SECRET"))
        .redirectUri(redirectUri)
        .scope(System.getenv("SCOPE").split(" "))
        .build());

    String state = UUID.randomUUID().toString();
    String nonce = UUID.randomUUID().toString();
    String verifier = UUID.randomUUID() + "-" + UUID.randomUUID();
    Map<String, Object> more = new LinkedHashMap<>();
    more.put("nonce", nonce);
    more.put("code_challenge", challengeOf(verifier));
    more.put("code_challenge_method", "S256");
    OAuth2AuthorizationRequest request = OAuth2AuthorizationRequest.authorizationCode()
        .authorizationUri(client.getProviderDetails().getAuthorizationUri())
        .clientId(client.getClientId())
        .redirectUri(redirectUri)
        .scopes(Set.copyOf(client.getScopes()))
        .state(state)
        .additionalParameters(more)
        .attributes((attributes) -> attributes.put("code_verifier", verifier))
        .build();
    Map<String, String> back = logIn(request.getAuthorizationRequestUri());
    OAuth2AuthorizationExchange exchange = new OAuth2AuthorizationExchange(request,
        OAuth2AuthorizationResponse.success(back.get("code")).redirectUri(redirectUri).state(back.get("state")).build());
    OAuth2AccessTokenResponse tokens = step("login", () -> new RestClientAuthorizationCodeTokenResponseClient()
        .getTokenResponse(new OAuth2AuthorizationCodeGrantRequest(client, exchange)));

    String raw = (String) tokens.getAdditionalParameters().get("id_token");
    OidcIdToken idToken = step("ID token", () -> {
      Jwt jwt = new OidcIdTokenDecoderFactory().createDecoder(client).decode(raw);
      if (!nonce.equals(jwt.getClaim("nonce"))) throw new IllegalStateException("the nonce differs");
      return new OidcIdToken(raw, jwt.getIssuedAt(), jwt.getExpiresAt(), jwt.getClaims());
    });
    step("userinfo", () -> new OidcUserService()
        .loadUser(new OidcUserRequest(client, tokens.getAccessToken(), idToken)).getSubject());
    step("refresh", () -> new RestClientRefreshTokenTokenResponseClient().getTokenResponse(
        new OAuth2RefreshTokenGrantRequest(client, tokens.getAccessToken(), tokens.getRefreshToken(), client.getScopes())));
    step("logout", () -> {
      HttpRequest end = HttpRequest.newBuilder(URI.create(issuer + "/end_session?id_token_hint=" + raw)).build();
      HttpResponse<String> answer = HttpClient.newHttpClient().send(end, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) throw new IllegalStateException("status " + answer.statusCode());
      return Instant.now();
    });
  }

  private static String challengeOf(String verifier) throws Exception {
    byte[] digest = java.security.MessageDigest.getInstance("SHA-256").digest(verifier.getBytes("US-ASCII"));
    return java.util.Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
  }

  /** The query with which the browser comes back. */
  private static Map<String, String> logIn(String address) throws Exception {
    System.out.println("AUTHORIZE " + address);
    String line = new BufferedReader(new InputStreamReader(System.in)).readLine();
    Map<String, String> values = new LinkedHashMap<>();
    for (String pair : URI.create(line.trim()).getRawQuery().split("&")) {
      String[] parts = pair.split("=", 2);
      values.put(parts[0], java.net.URLDecoder.decode(parts[1], "UTF-8"));
    }
    return values;
  }

  private static <T> T step(String name, Callable<T> run) {
    try {
      T value = run.call();
      System.out.println("STEP " + name + " ok");
      return value;
    } catch (Exception error) {
      System.out.println("STEP " + name + " failed " + String.valueOf(error).replace('\n', ' '));
      System.exit(0);
      return null;
    }
  }
}
