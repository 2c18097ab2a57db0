import type { RefusalReason } from '../model/refusal-reason.ts';
import { type Explanation, said } from './explanation.ts';

/** Auf Deutsch. */
export const german: Readonly<Record<RefusalReason, Explanation>> = {
  locked: said`Dieser Faktor ist nach zu vielen Fehlversuchen hintereinander eine Zeit lang gesperrt. Auch die richtige Antwort wird abgelehnt.
    Warten Sie, bis die Sperre endet, oder entsperren Sie die Identität. Andere Methoden funktionieren weiter.`,
  throttled: said`Von dieser Netzwerkadresse kamen zu viele Versuche, über alle Identitäten gezählt.
    Warten Sie einige Minuten. Wenn viele Menschen die Adresse teilen, suchen Sie nach einem Programm, das es immer wieder versucht.`,
  'identity-disabled': said`Die Identität ist deaktiviert. Ihre Zugangsdaten waren richtig.
    Aktivieren Sie sie, wenn sie wieder benutzt werden soll.`,
  'method-not-allowed': said`Die Auth-Richtlinie der Identität erlaubt diese Art der Anmeldung nicht. Die Zugangsdaten waren richtig.
    Erlauben Sie die Methode in der Richtlinie, oder geben Sie der Identität eine andere Richtlinie.`,
  'no-identity-for-claim': said`Das Zertifikat oder Token ist gültig, aber keine Identität hat die Id, die es nennt.
    Setzen Sie die externe Id der Identität auf den gesehenen Wert, oder berichtigen Sie die Angabe, mit der verglichen wird.`,
  'newcomer-refused': said`Das Token bezeichnet eine unbekannte Person, für die der Signer eine Identität anlegen lässt, und das ist nicht möglich.
    Die Einzelheiten sagen, warum. Ein Claim, der nichts ist, steht nicht im Token: Lassen Sie ihn den Anbieter dort aufnehmen, nicht nur in seine userinfo. Sonst wählen Sie andere Claims in "createIdentities" des Signers, etwa email als Namen, oder dort eine andere Auth-Richtlinie; oder fügen Sie die Person selbst hinzu.`,
  'too-many-newcomers': said`Das Token bezeichnet eine unbekannte Person, und Token dieses Signers haben in kurzer Zeit sehr viele Identitäten angelegt.
    Ist das richtig, erhöhen Sie edge.externalJwtSigners.maxNewIdentities und laden die Konfiguration neu, oder warten Sie eine Stunde. Sonst entfernen Sie "createIdentities" am Signer, schalten dort die Registrierung ab und sehen die neuesten Identitäten an, und wer sich beim Anbieter registrieren kann.`,
  'changed-meanwhile': said`Die Identität, ihre Richtlinie oder ihre Zugangsdaten wurden während dieser Anmeldung geändert.
    Melden Sie sich erneut an.`,
  'client-not-allowed': said`Die Anmeldung gelang, aber die Anwendung ist nur für Identitäten mit bestimmten Rollenattributen, und diese Identität hat keines davon.
    Geben Sie der Identität eines der Rollenattribute der Anwendung, oder ändern Sie „allowedRoleAttributes“ der Anwendung.`,
  'dpop-required': said`Die Anmeldedaten stimmten, aber die Anwendung oder die Richtlinie verlangt Token, die an einen Schlüssel gebunden sind (DPoP, RFC 9449), und der Client hat keinen nachgewiesen. Eine Sitzung, die ohne Schlüssel begann, kann auch nicht fortgesetzt werden.
    Melden Sie sich mit einem Client an, der DPoP unterstützt, oder schalten Sie „requireDpop“ dort aus, wo die fehlgeschlagene Prüfung es nennt.`,
  'unknown-user': said`Keine Identität hat den eingegebenen Benutzernamen. Er wird nicht gespeichert, weil er ein Passwort sein kann.
    Fragen Sie nach der Schreibweise. Die Liste der Anmeldemittel zeigt die Benutzernamen; sie können sich von den Namen der Identitäten unterscheiden. Dasselbe Kennzeichen (#…) bedeutet, dass derselbe Text eingegeben wurde.`,
  'wrong-password': said`Der Benutzername ist bekannt, das Passwort war falsch.
    Versuchen Sie es noch einmal, oder geben Sie der Person einen neuen Weg: eine Einladung oder ein Passwort, das Sie setzen.`,
  'password-change-required': said`Das Passwort war richtig, muss aber zuerst ersetzt werden, und das Programm, das es gesendet hat, kann das nicht.
    Lassen Sie die Person sich mit einem Browser anmelden, zum Beispiel unter /account, und dort ein neues Passwort wählen. Sie können die Forderung bei der Identität auch zurücknehmen.`,
  'no-certificate': said`Die Verbindung hatte kein Clientzertifikat.
    Geben Sie dem Client sein Zertifikat und seinen Schlüssel. Kein Proxy darf dazwischen TLS beenden, und der Listener muss nach Zertifikaten fragen (clientCertificates: request).`,
  'untrusted-chain': said`Das Zertifikat führt zu keiner Zertifizierungsstelle, der für Anmeldungen vertraut wird. Die fehlgeschlagene Prüfung nennt den fehlenden Aussteller.
    Legen Sie die Stelle als externe CA an, mit erlaubter Anmeldung und überprüft, oder lassen Sie den Client auch die Zwischenzertifikate senden.`,
  'ca-not-verified': said`Das Zertifikat führt zu einer CA, die hier angelegt, aber nicht überprüft ist; ihre Zertifikate zählen noch nicht.
    Lassen Sie die CA oder eine Stelle unter ihr ein Zertifikat ausstellen, dessen Common Name das Prüftoken der CA ist, und reichen Sie es ein.`,
  'ca-auth-off': said`Das Zertifikat führt zu einer CA, die hier ohne Anmeldung angelegt ist; ihre Zertifikate sind nicht für Anmeldungen.
    Erlauben Sie die Anmeldung, wenn Zertifikate dieser CA dafür gelten sollen.`,
  'broken-chain': said`Ein Zertifikat auf dem Pfad zu einer vertrauenswürdigen Stelle verletzt eine Regel. Die fehlgeschlagene Prüfung nennt Zertifikat und Regel.
    Lassen Sie das genannte Zertifikat neu ausstellen, ohne das Beanstandete. Der Client soll sein Zertifikat und die Zwischenzertifikate senden, und sonst nichts.`,
  'authority-expired': said`Eine Stelle auf dem Pfad des Zertifikats ist abgelaufen oder noch nicht gültig. Die fehlgeschlagene Prüfung sagt, welche und seit wann.
    Der Client soll das erneuerte Zertifikat dieser Stelle senden; ist sie hier angelegt, legen Sie das erneuerte an. Ist sie noch nicht gültig, vergleichen Sie die Uhren.`,
  'certificate-algorithm': said`Ein Zertifikat auf dem Pfad hat einen Schlüssel oder ein Signaturverfahren, das nicht zulässig ist. Die fehlgeschlagene Prüfung sagt, welches.
    Lassen Sie es mit RSA ab 2048 Bit, P-256, P-384, P-521 oder Ed25519 ausstellen und mit SHA-256 oder stärker signieren.`,
  'certificate-key-usage': said`Der Schlüsselverwendung des Zertifikats fehlt digitalSignature; ein Client signiert aber den Handshake.
    Lassen Sie es mit der Schlüsselverwendung digitalSignature ausstellen.`,
  'certificate-is-authority': said`Der Client hat das Zertifikat einer vertrauenswürdigen Stelle vorgelegt. Stellen melden sich nicht an.
    Der Client soll ein Zertifikat verwenden, das die Stelle für ihn ausgestellt hat.`,
  'certificate-expired': said`Das Zertifikat ist abgelaufen.
    Registrieren Sie die Identität erneut, oder verlängern Sie ihr Zertifikat, damit es gültig ist. Die Auth-Richtlinie kann abgelaufene Zertifikate auch erlauben.`,
  'certificate-revoked': said`Die Stelle, die das Zertifikat ausgestellt hat, hat es widerrufen. Die fehlgeschlagene Prüfung sagt, wann, warum und wer das gesagt hat.
    Lassen Sie die Stelle ein anderes Zertifikat ausstellen. War der Widerruf ein Versehen, muss die Stelle eine neue Liste veröffentlichen.`,
  'revocation-unknown': said`Ob das Zertifikat widerrufen wurde, war nicht festzustellen, und die CA ist so eingestellt, dass es dann abgelehnt wird (Modus hard). Die fehlgeschlagene Prüfung sagt, was gefehlt hat.
    Die Adresse der Liste oder der OCSP-Dienst muss von hier aus erreichbar sein; die Konsole zeigt den Stand der CA. Im Notfall setzen Sie den Modus auf soft.`,
  'certificate-not-yet-valid': said`Das Zertifikat ist noch nicht gültig.
    Vergleichen Sie die Uhren dieses Servers und der Stelle, die es ausgestellt hat.`,
  'certificate-usage': said`Die erweiterte Schlüsselverwendung des Zertifikats enthält keine Anmeldung von Clients.
    Lassen Sie es mit der erweiterten Schlüsselverwendung „client authentication“ ausstellen.`,
  'unknown-thumbprint': said`Dem Zertifikat wird vertraut, aber es gehört zu keiner Identität. Vielleicht hat der Client ein älteres vorgelegt.
    Registrieren Sie die Identität erneut, oder verlängern Sie ihr Zertifikat, damit es gültig ist.`,
  'certificate-claim-missing': said`Das Zertifikat enthält die externe Id nicht dort, wo die externe CA sie erwartet.
    Ändern Sie die Angabe der externen Id bei der CA, oder lassen Sie Zertifikate ausstellen, die sie enthalten.`,
  'no-token': said`Die Anfrage hatte kein Bearer-Token.
    Lassen Sie den Client das Token des Anbieters im Feld Authorization senden.`,
  'malformed-token': said`Das Token ist kein lesbares JWT. Die Einzelheiten sagen, warum.
    Prüfen Sie, ob der Client das JWT selbst sendet. Bei manchen Anbietern sind Access-Token keine JWTs, oder nur für bestimmte Audiences: Lassen Sie den Client dann das ID-Token senden.`,
  'token-encrypted': said`Das Token ist für eine andere Stelle verschlüsselt und kann hier nicht gelesen werden.
    Schalten Sie beim Anbieter die Verschlüsselung dieses Tokens für den Client ab, oder lassen Sie den Client die andere Art senden (Access- oder ID-Token).`,
  'token-unsigned': said`Das Token hat keine Signatur (alg „none“); es könnte also von jedem stammen.
    Stellen Sie den Anbieter so ein, dass er die Token dieses Clients signiert, zum Beispiel mit RS256 oder ES256.`,
  'token-type': said`Das Token ist von einer Art, die hier keine Identität nachweist: Sein Kopf nennt einen anderen Typ (typ), oder es meldet Ereignisse (events).
    Lassen Sie den Client das Token senden, das der Signer verlangt (targetToken). Sein Typ ist JWT oder JOSE, fehlt, oder ist at+jwt bei einem Access-Token.`,
  'token-without-issuer': said`Das Token nennt seinen Aussteller (iss) nicht; es ist also unbekannt, von wem es ist.
    Stellen Sie den Anbieter so ein, dass er seinen Aussteller einträgt, oder lassen Sie den Client das ID-Token senden, das ihn enthält.`,
  'no-signer-for-issuer': said`Kein externer JWT-Signer hat den Aussteller, den das Token nennt.
    Vergleichen Sie den gesehenen Aussteller Zeichen für Zeichen mit dem des Signers; auch ein Schrägstrich am Ende zählt.`,
  'signer-disabled': said`Der externe JWT-Signer dieses Ausstellers ist deaktiviert.
    Aktivieren Sie den Signer, wenn seine Token angenommen werden sollen.`,
  'signer-not-allowed': said`Die Auth-Richtlinie erlaubt nur andere externe JWT-Signer.
    Nehmen Sie diesen Signer in die erlaubten Signer der Richtlinie auf, oder geben Sie der Identität eine andere Richtlinie.`,
  'signer-not-independent': said`Das Token wurde als erster Nachweis gesendet, aber die Auth-Richtlinie verlangt ein Token desselben Ausstellers als zweiten Nachweis. Zwei Token eines Ausstellers sind ein Faktor.
    Melden Sie sich mit einem anderen ersten Nachweis an: mit dem Passwort, einem Zertifikat oder einem Token eines anderen Ausstellers. Das Token dieses Ausstellers kommt dazu.`,
  'ambiguous-signer': said`Das Token nennt die Audiences mehrerer externer JWT-Signer; es ist also unklar, welcher von ihnen dafür einsteht.
    Lassen Sie den Client beim Anbieter ein Token für eine dieser Audiences verlangen, oder löschen oder deaktivieren Sie alle diese Signer bis auf einen.`,
  'token-algorithm': said`Das Token ist mit einem Algorithmus signiert, der nicht angenommen wird.
    Lassen Sie den Anbieter mit RS256, PS256, ES256, EdDSA oder einem stärkeren Algorithmus derselben Familie signieren. Algorithmen mit gemeinsamem Geheimnis (HS256) werden nie angenommen.`,
  'token-without-key-id': said`Das Token nennt seinen Schlüssel (kid) nicht, und mehrere Schlüssel des Signers passen.
    Stellen Sie den Anbieter so ein, dass er die Kennung des Schlüssels in den Kopf seiner Token schreibt.`,
  'unknown-key': said`Der Signer hat keinen Schlüssel mit der Kennung, die das Token nennt. Die Einzelheiten sagen, ob seine Schlüssel erneut abgerufen wurden.
    Prüfen Sie die JWKS-Adresse des Signers; ein fester Schlüssel braucht dieselbe Kennung wie die Token. Wurden die Schlüssel nicht erneut abgerufen, versuchen Sie es in zehn Sekunden noch einmal.`,
  'unusable-key': said`Der Schlüssel, den das Token nennt, ist unter denen des Signers, kann aber nicht verwendet werden. Die Einzelheiten sagen, warum.
    Lassen Sie den Anbieter den Schlüssel so veröffentlichen, wie es die Einzelheiten verlangen, oder mit einem anderen seiner Schlüssel signieren.`,
  'key-algorithm': said`Das Token ist mit einem Algorithmus signiert, für den der genannte Schlüssel nicht bestimmt ist.
    Vergleichen Sie den Algorithmus (alg) des Tokens mit dem des Schlüssels beim Anbieter, und ändern Sie dort einen der beiden.`,
  'keys-unavailable': said`Die Schlüssel des Signers konnten nicht abgerufen werden. Solange das so ist, kann kein Token von ihm geprüft werden, und Anmeldungen damit werden abgelehnt.
    Die Einzelheiten sagen, wann es versucht wurde und was misslang. Prüfen Sie Namen, Adresse, Zertifikat und die Grenzen in edge.externalJwtSigners.jwksFetch, und versuchen Sie es dann noch einmal.`,
  'signer-certificate-expired': said`Das Zertifikat des Signers ist zurzeit nicht gültig; deshalb wird sein Schlüssel nicht verwendet.
    Geben Sie dem Signer das aktuelle Zertifikat des Anbieters, oder stattdessen die Adresse seiner Schlüssel.`,
  'token-signature': said`Die Signatur des Tokens ist falsch.
    Das Token wurde verändert, oder von einem anderen Schlüssel mit derselben Kennung signiert. Prüfen Sie die Schlüssel des Signers: Sie können die eines anderen Anbieters oder einer anderen Umgebung sein.`,
  'token-audience': said`Das Token ist für eine andere Audience als die des Signers.
    Setzen Sie die Audience des Signers auf die gesehene, wenn solche Token gemeint sind. Andernfalls lassen Sie den Client beim Anbieter ein Token für die Audience des Signers holen.`,
  'token-expired': said`Das Token ist abgelaufen.
    Lassen Sie den Client ein neues holen. Wenn es neu ist, vergleichen Sie die Uhren.`,
  'token-not-yet-valid': said`Das Token ist noch nicht gültig.
    Vergleichen Sie die Uhren dieses Servers und des Anbieters.`,
  'token-without-expiry': said`Das Token läuft nie ab. Solche Token werden nicht angenommen.
    Stellen Sie den Anbieter so ein, dass er ein Ablaufdatum (exp) setzt.`,
  'token-without-issue-time': said`Das ID-Token sagt nicht, wann es ausgestellt wurde (iat); das muss jedes ID-Token.
    Stellen Sie den Anbieter so ein, dass er iat einträgt. Wenn die Token Access-Token sind, setzen Sie targetToken des Signers auf ACCESS.`,
  'token-times': said`Eine Zeit im Token (exp, nbf oder iat) ist keine Zahl von Sekunden.
    Lassen Sie den Anbieter sie als Zahl der Sekunden seit 1970 senden, nicht als Text oder Millisekunden.`,
  'token-lifetime': said`Das Token gilt länger, als der Signer erlaubt, oder sagt nicht, seit wann.
    Verkürzen Sie die Laufzeit der Token beim Anbieter, oder erhöhen Sie maxLifetimeSeconds des Signers.`,
  'token-claim-missing': said`Die Angabe, die die Identität nennt, fehlt im Token oder ist kein Text.
    Setzen Sie claimsProperty des Signers auf eine Angabe, die die Token haben, oder stellen Sie den Anbieter so ein, dass er sie einträgt: Oft tut das ein Scope oder ein Mapper.`,
  'reset-not-allowed': said`Jemand hat eine E-Mail angefordert, um ein neues Passwort zu wählen, und die Konfiguration erlaubt das für dieses Konto nicht: mail.passwordReset sagt, für wen. Administratoren und Personen mit Berechtigungen bekommen keine, außer mail.passwordReset.administrators ist true.
    Laden Sie die Person ein; das ersetzt das Passwort.`,
  'email-not-verified': said`Die Adresse wurde vom Anbieter nicht bestätigt.
    Lassen Sie den Anbieter sie bestätigen und email_verified: true senden. Bei einem Anbieter, der Adressen bestätigt und das nie sendet, setzen Sie requireVerifiedEmail des Signers auf false; oder nennen Sie die Identität mit einer anderen Angabe, zum Beispiel sub.`,
  'reset-unverified': said`Eine E-Mail für ein neues Passwort wurde verlangt, und die Adresse der Identität ist nicht bestätigt.
    Setzen Sie email und emailVerified der Identität, oder laden Sie die Person per E-Mail ein.`,
  'provider-unavailable': said`Der Anbieter hat sein Discovery-Dokument oder die Token einer Anmeldung nicht geliefert.
    Prüfen Sie externalAuthUrl und clientId des Signers, ob der Anbieter die Rückkehradresse dieses Servers kennt, und die Grenzen von edge.externalJwtSigners.`,
  'provider-refused': said`Der Anbieter hat die Person oder diesen Dienst abgewiesen, oder seine Antwort gehört nicht zu dieser Anmeldung. Die fehlgeschlagene Prüfung nennt seine Worte.
    Nach invalid_client vergleichen Sie clientId, clientAuthMethod und das Geheimnis des Signers mit der Registrierung beim Anbieter. Sonst bitten Sie die Person, es noch einmal zu versuchen; misslingt es wieder, lesen Sie das Log des Anbieters.`,
  'token-nonce': said`Das ID-Token ist nicht für diese Anmeldung: Seine nonce fehlt oder ist eine andere.
    Bitten Sie die Person, es noch einmal zu versuchen. Misslingt es wieder, gibt der Anbieter oder ein Proxy die nonce nicht zurück, die er bekommen hat.`,
  'secondary-token-missing': said`Die Auth-Richtlinie verlangt außerdem ein Token eines externen JWT-Signers, und die Anfrage hatte keines.
    Lassen Sie den Client es in einem eigenen Feld Authorization senden.`,
  'secondary-wrong-identity': said`Das zweite Token gehört zu einer anderen Identität als der, die sich anmeldet.
    Beide müssen zu derselben Person gehören. Prüfen Sie die externe Id der Identität.`,
  'passkey-unreadable': said`Die Antwort des Browsers oder Authenticators war nicht so, wie WebAuthn sie beschreibt.
    Bitten Sie die Person, es noch einmal zu versuchen. Gelingt es wieder nicht, hilft vielleicht ein anderer Browser; die Prüfung sagt, was nicht lesbar war.`,
  'passkey-question': said`Die Antwort gehört nicht zur Frage dieses Schritts: Sie ist zu alt oder von einer anderen Anmeldung, einem anderen Browser oder Schritt.
    Bitten Sie die Person, es noch einmal zu versuchen. Wenn sie es nicht war, hat vielleicht jemand versucht, eine ihrer Antworten zu benutzen.`,
  'passkey-used-before': said`Die Antwort wurde schon angenommen. Jede gilt einmal.
    Bitten Sie die Person, es noch einmal zu versuchen. Wenn sie sie nicht zweimal gesendet hat, hat sie vielleicht jemand mitgelesen.`,
  'passkey-origin': said`Eine Seite mit einer anderen Adresse oder eine Seite innerhalb einer anderen hat nach dem Passkey gefragt.
    Ist es eine Adresse dieses Dienstes, nehmen Sie sie in die Bind-Points auf. Sonst war die Person vielleicht auf einer Seite, die diese nachahmt.`,
  'passkey-site': said`Der Passkey gehört zu einer anderen Domain als diese Adresse.
    Passkeys gehören zu dem Host, unter dem sie hinzugefügt wurden, oder zu edge.passkeys.rpId. Ändert sich der Host, fügt jede Person neue hinzu.`,
  'passkey-absent': said`Der Authenticator hat geantwortet, ohne berührt zu werden.
    Jeder Passkey muss von seinem Besitzer bestätigt werden. Versuchen Sie einen anderen Authenticator.`,
  'passkey-signature': said`Die Signatur der Antwort passt nicht zum hinterlegten Schlüssel.
    Bitten Sie die Person, es noch einmal zu versuchen. Gelingt es wieder nicht, entfernen Sie den Passkey und lassen ihn neu hinzufügen.`,
  'passkey-key': said`Das Verfahren des Schlüssels ist nicht zulässig, oder der Schlüssel ist zu schwach.
    Zulässig sind ES256, EdDSA (Ed25519) und RS256 mit 2048 bis 8192 Bit. Nehmen Sie einen anderen Authenticator.`,
  'passkey-model': said`Die Auth-Richtlinie erlaubt bestimmte Modelle von Authenticatoren (primary.passkey.allowedAuthenticators). Dieser Passkey liegt in einem anderen, oder der Hersteller hat das Modell beim Hinzufügen nicht bestätigt.
    Die Person fügt einen Passkey in einem erlaubten Modell hinzu, auch wenn einer schon vor dieser Liste da war; die Stammzertifikate des Herstellers stehen in edge.passkeys.trustedRoots. Oder ändern Sie die Liste.`,
  'passkey-unknown': said`Keine Identität hat diesen Passkey: Er wurde entfernt oder gehört zu einem anderen Dienst. Oder die Identität hat keinen.
    Die Person meldet sich anders an und fügt auf der Kontoseite einen Passkey hinzu; den alten löscht sie auf ihrem Gerät.`,
  'passkey-other-identity': said`Der Passkey gehört einer anderen Identität als der, die sich anmeldet.
    Die Person muss einen Passkey ihres eigenen Kontos wählen.`,
  'passkey-unverified': said`Der Authenticator hat nicht geprüft, wer ihn benutzt, und die Richtlinie verlangt das.
    Die Person richtet am Authenticator eine PIN, einen Finger oder ihr Gesicht ein; oder setzen Sie primary.passkey.userVerification der Richtlinie auf preferred.`,
  'passkey-cloned': said`Der Zähler des Passkeys war nicht höher als bei der letzten Anmeldung: Zwei Geräte haben anscheinend denselben Schlüssel.
    Fragen Sie die Person, ob sie den Authenticator verloren oder kopiert hat. Entfernen Sie ihn im Zweifel; das beendet, was er eröffnet hat.`,
  'passkey-not-independent': said`Die Richtlinie verlangt einen Passkey als zweiten Nachweis; ein Passkey kann darum nicht auch der erste sein.
    Die Person meldet sich zuerst anders an; oder setzen Sie primary.passkey.satisfiesSecondary, wenn ein Passkey mit PIN, Finger oder Gesicht genügt.`,
  'passkey-required': said`Die Richtlinie verlangt einen Passkey (secondary.requirePasskey), und der ältere Mechanismus hat keinen Schritt dafür.
    Nehmen Sie einen Client, der sich mit OIDC anmeldet, oder geben Sie der Identität eine andere Richtlinie.`,
  'passkey-not-added': said`Der Passkey ist schon hinterlegt, oder die Identität hat so viele, wie sie haben darf (20).
    Nehmen Sie einen anderen Authenticator, oder entfernen Sie einen Passkey, der nicht mehr gebraucht wird.`,
  'enrollment-token-unknown': said`Das Registrierungstoken wurde schon benutzt, ersetzt oder gelöscht, oder dieser Dienst hat es nie ausgestellt.
    Wenn sich das Gerät nicht selbst registriert hat, finden Sie heraus, wer sein Token benutzt hat. Andernfalls stellen Sie ein neues aus.`,
  'enrollment-other-method': said`Das Token ist für eine andere Registrierungsmethode als die benutzte.
    Die Angabe „em“ des JWT nennt die richtige. Legen Sie eine Registrierung der anderen Methode an, wenn diese gemeint war.`,
  'invitation-unknown': said`Der Link funktioniert nicht mehr, oder dieser Dienst hat ihn nie ausgestellt. Die Prüfungen sagen, was davon und für wen er war.
    Machen Sie einen neuen Link. Wenn er benutzt wurde, aber nicht von der Person, sagt das Audit-Protokoll der Identität, wann und woher.`,
  'invitation-expired': said`Der Link wurde zu spät geöffnet.
    Machen Sie einen neuen Link, bei Bedarf länger gültig.`,
  'invitation-not-allowed': said`Eine Identität, die nur die Berechtigung helpdesk hat, hat den Link gemacht, und die Identität ist jetzt Administrator oder hat eine Berechtigung.
    Lassen Sie einen Administrator einen neuen Link machen.`,
  'enrollment-expired': said`Das Registrierungstoken ist abgelaufen.
    Geben Sie der Registrierung ein neues Token und ein neues Ablaufdatum, und geben Sie das neue JWT weiter.`,
  'enrollment-not-allowed': said`Die CA oder der externe JWT-Signer erlaubt diese Art der Registrierung nicht.
    Erlauben Sie sie bei der CA (isOttCaEnrollmentEnabled, isAutoCaEnrollmentEnabled) oder beim Signer (enrollToCertEnabled, enrollToTokenEnabled), wenn das gewollt ist.`,
  'enrollment-other-ca': said`Das Zertifikat führt zu einer anderen Stelle als der, die diese Identität registrieren darf.
    Lassen Sie die CA der Registrierung das Zertifikat ausstellen, oder legen Sie eine Registrierung für die andere CA an.`,
  'enrollment-name-refused': said`Der Name, den die neue Identität hätte, ist vergeben, leer oder nicht zulässig.
    Ändern Sie die Regel, die Namen bildet: identityNameFormat der CA, enrollNameClaimsSelector des Signers. Löschen Sie die Identität, die den Namen hat, wenn es dasselbe Gerät ist.`,
  'enrollment-external-id-refused': said`Die externe Id, die die neue Identität hätte, ist länger als 255 Zeichen oder enthält unsichtbare Zeichen.
    Bitten Sie den Aussteller des Zertifikats oder JWT um einen anderen Wert, oder verwenden Sie ein anderes Feld: externalIdClaim der CA, claimsProperty des Signers.`,
  'enrollment-password-refused': said`Das Passwort oder der Benutzername war nicht zulässig. Das Token gilt weiter.
    Der Person wurde gesagt, warum, und sie kann es noch einmal versuchen.`,
  'enrollment-request-refused': said`Der Zertifikatsantrag konnte nicht verarbeitet werden. Das Token gilt weiter.
    Schlüssel müssen RSA mit mindestens 2048 Bit, P-256, P-384, P-521 oder Ed25519 sein und ihren eigenen Antrag signieren.`,
  'already-enrolled': said`Das Zertifikat, der Benutzername oder die externe Id gehört schon einer Identität, oder die Identität hat ein Passwort.
    Löschen Sie das Anmeldemittel, das es hat, oder registrieren Sie mit einem anderen Zertifikat oder Benutzernamen.`,
  'totp-not-enrolled': said`Es wurde ein Code gesendet, aber für die Identität ist keine Authenticator-App eingerichtet.
    Lassen Sie die Person eine einrichten; die Anmeldung bietet es an, wenn die Richtlinie TOTP verlangt.`,
  'wrong-code': said`Der Code war falsch, oder in diesem Augenblick zu alt oder zu neu.
    Stellen Sie die Uhr des Telefons auf automatisch. Wenn die App verloren ist, verwenden Sie einen Wiederherstellungscode, oder entfernen Sie sie bei der Identität.`,
  'replayed-code': said`Der Code war richtig, aber er oder ein neuerer war schon benutzt worden.
    Warten Sie auf den nächsten Code. Wenn die Person diesen Code nicht benutzt hat, hat ihn vielleicht eine andere Person gesehen.`,
  'redirect-uri-unknown': said`Die Anwendung wollte die Antwort an eine Adresse, die nicht für sie registriert ist. Deshalb bekam die Person statt einer Anmeldung eine Fehlerseite. Die Prüfungen nennen die Anwendung, die Adresse und die registrierten.
    Wenn die Adresse zur Anwendung gehört, fügen Sie sie ihren Redirect-URIs hinzu. Vergleichen Sie Zeichen für Zeichen; ein Schrägstrich am Ende zählt. Eine unbekannte Adresse kann ein Versuch sein, eine Anmeldung zu stehlen: lassen Sie sie weg.`,
  'unknown-client': said`Keine Anwendung hat die Client-Id der Anfrage.
    Berichtigen Sie die Client-Id in den Einstellungen der Anwendung, oder registrieren Sie die Anwendung.`,
  'sign-in-expired': said`Die Anmeldung, zu der die Seite gehörte, ist nicht mehr offen: sie dauerte zu lange, war beendet oder wurde in einem anderen Browser fortgesetzt. Die fehlgeschlagene Prüfung sagt mehr, wenn es bekannt ist.
    Lassen Sie die Person in der Anwendung neu beginnen, in einem Browser und innerhalb von zehn Minuten.`,
  'setup-link-dead': said`Der Einrichtungslink wurde schon benutzt, ist abgelaufen, wurde durch einen neueren ersetzt oder ist nicht von diesem Server. Die Prüfungen sagen, was davon.
    Erzeugen Sie auf dem Host einen neuen. Wenn es schon einen Administrator gibt, melden Sie sich stattdessen an.`,
  'device-code-unknown': said`Kein Gerät wartet mit dem Code, der eingegeben wurde. Codes gelten einmal und zehn Minuten lang.
    Lassen Sie die Person den Code mit dem auf dem Gerät vergleichen oder auf dem Gerät neu beginnen.`,
  'not-permitted': said`Die Anfrage kam ohne gültige Sitzung, oder dem Aufrufer fehlt das Recht oder der Faktor, den der Endpunkt verlangt. Die fehlgeschlagene Prüfung sagt, was davon.
    Melden Sie sich neu an, oder lassen Sie einen Administrator die Berechtigung erteilen.`,
  conflict: said`Die Anfrage widerspricht dem, was es gibt: ein Name ist vergeben, auf einen Eintrag wird noch verwiesen, oder er wurde inzwischen geändert. Die fehlgeschlagene Prüfung sagt, was davon.
    Lesen Sie den Eintrag neu und wiederholen Sie die Änderung, oder entfernen Sie, was im Weg steht.`,
  'nothing-there': said`Kein Endpunkt oder Eintrag hat die Adresse der Anfrage, oder der Server bedient ihren Hostnamen nicht.
    Vergleichen Sie die Adresse. Ein Eintrag kann gelöscht worden sein; ein Hostname braucht eine Adresse in der Konfiguration (web, bindPoints).`,
  'request-refused': said`Die Anfrage war keine, die der Endpunkt annimmt. Die fehlgeschlagene Prüfung sagt, warum.
    Berichtigen Sie das Programm oder Formular, das sie geschickt hat; bei einer Anwendung vergleichen Sie ihre Einstellungen mit der Registrierung. Die Seiten /oidc/docs, /edge/client/v1/docs und /edge/management/v1/docs sagen, was angenommen wird.`,
  'server-unavailable': said`Der Server konnte in diesem Moment nicht antworten: er war ausgelastet, startete oder endete gerade, oder seine Datenbank war nicht erreichbar.
    Versuchen Sie es noch einmal. Wenn es sich wiederholt, sehen Sie den Zustand der Knoten und das Log an.`,
  'server-failed': said`Die Anfrage traf auf einen Fehler des Servers.
    Das Log hat den Fehler unter derselben Kennung. Bitte melden Sie ihn.`,
};
