/** Failures of a whole request, in German: the descriptions of codes and of conflicts. See `in-language.ts`. */
export const failuresInGerman: Readonly<Record<string, string>> = {
  // the subjects of refused requests
  '{1}; {2}': '{=1}; {=2}',
  '"{1}" {2}': '„{1}“ {=2}',
  'redirect_uri {1} matches none of the registered addresses':
    'redirect_uri {1} entspricht keiner registrierten Adresse',
  'it took too long, or is finished': 'es dauerte zu lange oder ist abgeschlossen',
  'none waits with it': 'kein Gerät wartet damit',
  'not a code': 'kein Code',
  'no token of this service': 'kein Token dieses Dienstes',
  'the enrollment {1} no longer has this token': 'die Registrierung {1} hat dieses Token nicht mehr',
  'not made by this service, or for a password that was changed since':
    'nicht von diesem Dienst, oder für ein Passwort, das seitdem geändert wurde',
  'the password may no longer be reset by mail':
    'das Passwort darf nicht mehr per E-Mail zurückgesetzt werden',
  'its identity {1} was deleted': 'die zugehörige Identität {1} wurde gelöscht',
  'used or withdrawn, or its identity was disabled or got another password or email address':
    'benutzt oder zurückgezogen, oder die Identität wurde deaktiviert oder bekam ein anderes Passwort oder eine andere E-Mail-Adresse',
  'replaced by a newer one of {1}': 'durch einen neueren vom {1} ersetzt',
  'valid until {1}': 'gültig bis {1}',
  'invitation of {1}': 'Einladung von {1}',
  'mail for a forgotten password of {1}': 'E-Mail für ein vergessenes Passwort von {1}',
  // how a delivery to another server went
  'given up after: {1}': 'aufgegeben nach: {=1}',
  'given up': 'aufgegeben',
  'an internal error, which the log has': 'ein interner Fehler, der im Protokoll steht',
  'the client has no backchannelLogoutUri any more': 'der Client hat keine backchannelLogoutUri mehr',
  'nothing was sent': 'nichts wurde gesendet',
  'no mail server is configured': 'es ist kein Mailserver konfiguriert',
  'the subscription is gone': 'das Abonnement ist gelöscht',
  'the subscription is disabled': 'das Abonnement ist deaktiviert',
  'the receiver broke the connection: {1}': 'der Empfänger brach die Verbindung ab: {1}',
  'no node is at {1} any more': 'unter {1} ist kein Knoten mehr',
  '{1} took longer than {2}': '{1} brauchte länger als {2}',
  '{1} offers no TLS, so nothing was sent': '{1} bietet kein TLS, daher wurde nichts gesendet',
  'the name {1} was not found': 'der Name {1} wurde nicht gefunden',
  '{1} cannot be reached: {2}': '{1} ist nicht erreichbar: {=2}',
  'nothing listens there': 'dort nimmt kein Dienst Verbindungen an',
  'no TLS with {1}, so nothing was sent: {2}': 'kein TLS mit {1}, daher wurde nichts gesendet: {2}',
  '{1} refused user or password of mail.smtp{2}': '{1} lehnte Benutzer oder Passwort von mail.smtp ab{2}',
  '{1} refused the sender: {2}': '{1} lehnte den Absender ab: {2}',
  '{1} refused the recipient: {2}': '{1} lehnte den Empfänger ab: {2}',
  '{1} refused the mail: {2}': '{1} lehnte die E-Mail ab: {2}',
  '{1} did not answer as a mail server does: {2}': '{1} antwortete nicht wie ein Mailserver: {2}',
  // codes
  'the user may not use this application': 'die Person darf diese Anwendung nicht benutzen',
  'the requested resource does not belong to the client': 'die verlangte Ressource gehört nicht zum Client',
  'the client may not use this grant': 'der Client darf diesen Grant nicht verwenden',
  'the grant type is not supported': 'dieser Grant-Typ wird nicht unterstützt',
  'the response type is not supported': 'dieser Antworttyp wird nicht unterstützt',
  'the token type is not supported': 'dieser Tokentyp wird nicht unterstützt',
  'the DPoP proof is not valid': 'der DPoP-Nachweis ist ungültig',
  'sign the DPoP proof again with the nonce in DPoP-Nonce':
    'signieren Sie den DPoP-Nachweis neu, mit der Nonce in DPoP-Nonce',
  'the person has not finished the login yet; ask again':
    'die Anmeldung ist noch nicht abgeschlossen; fragen Sie wieder',
  'ask less often: wait five seconds longer than before':
    'fragen Sie seltener: warten Sie fünf Sekunden länger als zuvor',
  'the person refused the login': 'die Person hat die Anmeldung abgelehnt',
  'the device code has expired; start again': 'der Gerätecode ist abgelaufen; beginnen Sie neu',
  'the user has to log in': 'eine Anmeldung ist nötig',
  'the user has to interact': 'die Person muss etwas tun',
  'the user has to choose an account': 'die Person muss ein Konto wählen',
  'request objects are not supported': 'Anfrageobjekte werden nicht unterstützt',
  'request objects by reference are not supported': 'Anfrageobjekte mit Verweis werden nicht unterstützt',
  'client registration is not supported': 'das Registrieren von Clients wird nicht unterstützt',
  'the token lacks the scope that this resource requires':
    'dem Token fehlt der Scope, den diese Ressource verlangt',
  'The session is not one of an access token': 'Die Sitzung gehört zu keinem Access-Token',
  'The policy asks for a passkey (auth query PASSKEY at /oidc/login/passkey), which this client or mechanism cannot answer; log in with a browser':
    'Die Richtlinie verlangt einen Passkey (Auth-Query PASSKEY unter /oidc/login/passkey), was dieser Client oder dieses Verfahren nicht kann; melden Sie sich mit einem Browser an',
  'The password must be replaced first; log in with a browser, such as on the account page':
    'Das Passwort ist zuerst zu ersetzen; melden Sie sich mit einem Browser an, etwa auf der Kontoseite',
  'The filter could not be parsed': 'Der Filter lässt sich nicht lesen',
  'None of the media types that the client accepts can be produced':
    'Keiner der Medientypen, die der Client annimmt, ist verfügbar',
  'The address of the request is too long': 'Die Adresse der Anfrage ist zu lang',
  'The headers of the request are too large; in a browser, delete the cookies of this site':
    'Die Header der Anfrage sind zu groß; löschen Sie im Browser die Cookies dieser Website',
  'This server does not serve the requested host': 'Dieser Server ist nicht für den verlangten Host',
  'Too many attempts; try again later': 'Zu viele Versuche; versuchen Sie es später noch einmal',
  'The server is busy; try again later': 'Der Server ist ausgelastet; versuchen Sie es später noch einmal',
  'The service is temporarily unavailable': 'Der Dienst ist vorübergehend nicht verfügbar',
  'An unexpected error occurred': 'Ein unerwarteter Fehler ist aufgetreten',
  'the request is malformed or lacks a required parameter':
    'die Anfrage ist fehlerhaft, oder ein nötiger Parameter fehlt',
  'the client is not known': 'der Client ist unbekannt',
  'the client could not be authenticated': 'der Client hat sich nicht ausweisen können',
  'the redirect_uri is not registered for this address':
    'die redirect_uri ist für diese Adresse nicht registriert',
  'the grant is invalid, expired, already used, or was issued to another client':
    'der Grant ist ungültig, abgelaufen, schon benutzt oder für einen anderen Client',
  'the requested scope is invalid or exceeds the scope that was granted':
    'der verlangte Scope ist ungültig oder geht über den erteilten hinaus',
  'The authentication request failed': 'Die Anmeldung ist gescheitert',
  'The code was invalid': 'Der Code war falsch',
  'The passkey was not accepted': 'Der Passkey wurde nicht angenommen',
  'A TOTP enrollment already exists or has been started':
    'Eine Authenticator-App ist schon eingerichtet oder begonnen',
  'The authentication request is unknown, expired or finished; start again':
    'Die Anmeldung ist unbekannt, abgelaufen oder abgeschlossen; beginnen Sie neu',
  'The request could not be completed. The session is not authorized or the credentials are invalid':
    'Die Sitzung ist nicht berechtigt, oder die Zugangsdaten sind ungültig',
  'The authenticated identity lacks the permission for this operation':
    'Der angemeldeten Identität fehlt die Berechtigung dafür',
  'The enrollment token is not valid: it was used, replaced or deleted, or never existed. Ask for a new one':
    'Das Registrierungstoken ist ungültig: benutzt, ersetzt, gelöscht oder nie vergeben. Bitten Sie um ein neues',
  'The enrollment token has expired. Ask for a new one':
    'Das Registrierungstoken ist abgelaufen. Bitten Sie um ein neues',
  'Enrollment in this way is not allowed': 'Diese Art der Registrierung ist nicht erlaubt',
  'The client certificate of the connection cannot be enrolled':
    'Das Clientzertifikat der Verbindung lässt sich nicht registrieren',
  'The identity is already enrolled': 'Die Identität ist schon registriert',
  'The body of the request could not be parsed': 'Der Inhalt der Anfrage lässt sich nicht lesen',
  'The resource requested was not found or is no longer available': 'Das gibt es nicht oder nicht mehr',
  'It was changed meanwhile; read it again, then repeat the change':
    'Es wurde inzwischen geändert; lesen Sie es neu und wiederholen Sie die Änderung',
  'The certificate signing request cannot be processed': 'Der Zertifikatsantrag lässt sich nicht bearbeiten',
  'The method is not allowed on this resource': 'Diese Methode ist hier nicht erlaubt',
  'The media type of the body is not supported here': 'Dieser Medientyp wird hier nicht unterstützt',
  'The media type of the body is not supported here: send {1}, in UTF-8 and not compressed':
    'Dieser Medientyp wird hier nicht unterstützt: senden Sie {1}, in UTF-8 und nicht komprimiert',
  // conflicts
  'The request is not acceptable': 'Die Anfrage ist nicht zulässig',
  'The entity conflicts with an existing one: {1} {2}': '{1} {=2}',
  'The entity conflicts with an existing one': 'Es gibt schon etwas, dem dies widerspricht',
  'Other entities refer to this entity, so it cannot be deleted':
    'Anderes bezieht sich darauf, daher lässt es sich nicht löschen',
  'The entity cannot be deleted': 'Das lässt sich nicht löschen',
  'The supplied request contains an invalid document or parameter':
    'Die Anfrage enthält einen unzulässigen Wert',
  'The field contains an invalid value': 'Das Feld enthält einen unzulässigen Wert',
  'The body is larger than this endpoint accepts': 'Das ist mehr, als hier angenommen wird',
  'The password does not meet the rules': 'Das Passwort entspricht nicht den Regeln',
  'An entity that this refers to was deleted meanwhile':
    'Etwas, worauf sich dies bezieht, wurde inzwischen gelöscht',
  'An identity has at most {1} passkeys; remove one first':
    'Eine Identität hat höchstens {1} Passkeys; entfernen Sie zuerst einen',
  'Identities have this policy, or an external JWT signer gives it to newcomers; name another policy there first, and empty its assignTo':
    'Identitäten haben diese Richtlinie, oder ein externer JWT-Signer vergibt sie; nennen Sie dort zuerst eine andere, und leeren Sie ihr assignTo',
  'New identities have this policy unless another policy is named; it can be changed, but not deleted':
    'Neue Identitäten haben diese Richtlinie, wenn keine andere genannt ist; sie lässt sich ändern, aber nicht löschen',
  'It is the last way to sign in to this account. Add another one first, or say that you mean it':
    'Es ist der letzte Weg in dieses Konto. Fügen Sie zuerst einen anderen hinzu, oder bestätigen Sie es',
  'No listener shows pages: bind edge-oidc to one in the configuration':
    'Kein Listener zeigt Seiten: binden Sie edge-oidc in der Konfiguration an einen',
  'No mail server is configured': 'Es ist kein Mailserver konfiguriert',
  'This cannot be a user name: it has 1 to 100 visible characters':
    'Das kann kein Benutzername sein: er hat 1 bis 100 sichtbare Zeichen',
  'This name is taken already; choose another one':
    'Dieser Name ist schon vergeben; wählen Sie einen anderen',
  '{1} has no email address': '{1} hat keine E-Mail-Adresse',
  'One of the entities was changed meanwhile: nothing was applied; repeat the request':
    'Etwas davon wurde inzwischen geändert: nichts wurde angewendet; wiederholen Sie die Anfrage',
  'One of the identities was changed meanwhile; repeat the request':
    'Eine der Identitäten wurde inzwischen geändert; wiederholen Sie die Anfrage',
  'The check has found that this is not possible for all: nothing was changed; see refused':
    'Das ist nicht bei allen möglich: nichts wurde geändert; siehe refused',
  'The selection has {1} identities now, not {2}: nothing was changed; look at it again':
    'Die Auswahl umfasst jetzt {1} Identitäten, nicht {2}: nichts wurde geändert; sehen Sie sie noch einmal an',
  'An entity that stays refers to an entity that would be deleted: nothing was applied':
    'Etwas, das bleibt, bezieht sich auf etwas, das gelöscht würde: nichts wurde angewendet',
  'Only an administrator may do this to an administrator or to an identity with a permission':
    'Das darf nur ein Administrator bei Administratoren und Identitäten mit Rechten',
  'Only passwords can be changed; replace a certificate':
    'Nur Passwörter lassen sich ändern; ersetzen Sie ein Zertifikat',
  'The CA is verified already': 'Die CA ist schon überprüft',
  'The CA was verified or deleted meanwhile': 'Die CA wurde inzwischen überprüft oder gelöscht',
  'A new passkey would stand for the authenticator app or the passkey that the identity has; remove that first':
    'Ein neuer Passkey stünde für die Authenticator-App oder den Passkey, den die Identität hat; entfernen Sie zuerst die App oder den alten Passkey',
  'The auth policy {1} allows neither passwords nor passkeys, so there is nothing to set up by a link':
    'Die Auth-Richtlinie {1} erlaubt weder Passwörter noch Passkeys, daher gibt es nichts, was sich über einen Link einrichten ließe',
  'The client has {1} secrets already; delete the one that is no longer used':
    'Der Client hat schon {1} Geheimnisse; löschen Sie das nicht mehr verwendete',
  'The client proves itself by {1}; set tokenEndpointAuthMethod to client_secret_basic or client_secret_post first':
    'Der Client weist sich durch {1} aus; setzen Sie tokenEndpointAuthMethod zuerst auf client_secret_basic oder client_secret_post',
  'The identity has a password already; change that authenticator':
    'Die Identität hat schon ein Passwort; ändern Sie dieses',
  'The identity has a password already; delete that authenticator first to enroll it again':
    'Die Identität hat schon ein Passwort; löschen Sie es zuerst, um sie neu zu registrieren',
  'The identity has an enrollment of this method already; refresh or delete that one':
    'Die Identität hat schon eine Registrierung mit dieser Methode; erneuern oder löschen Sie diese',
  'The identity is disabled; enable it first': 'Die Identität ist deaktiviert; aktivieren Sie sie zuerst',
  'The identity is disabled, and this document would let it in earlier: {1}':
    'Die Identität ist deaktiviert, und dieses Dokument ließe sie früher ein: Es ist vielleicht ein älteres. Ist das gemeint, aktivieren Sie sie zuerst, oder senden Sie ihr etag als If-Match',
  'has changed since, or is not to be changed by a whole document':
    'hat sich seither geändert oder lässt sich nicht durch ein ganzes Dokument ändern',
  'The current password is not right, or it is locked after too many failures':
    'Das bisherige Passwort ist nicht richtig oder nach zu vielen Fehlversuchen gesperrt',
  'This authenticator is a certificate, not a password':
    'Dieses Anmeldemittel ist ein Zertifikat und kein Passwort',
  'Passkeys need a host name, below edge.passkeys.rpId if that is set; this address has none':
    'Passkeys brauchen einen Hostnamen, unter edge.passkeys.rpId, falls gesetzt; diese Adresse hat keinen',
  'The auth policy of this account takes no passkeys; an administrator can change that':
    'Die Richtlinie dieses Kontos nimmt keine Passkeys an; ein Administrator kann das ändern',
  'The policy asks for a passkey with PIN, finger or face':
    'Die Richtlinie verlangt einen Passkey mit PIN, Finger oder Gesicht',
  'The policy allows certain models of authenticators, and this one did not prove to be any':
    'Die Richtlinie erlaubt bestimmte Modelle von Authenticatoren, und dieser hat keines nachgewiesen',
  'This change would leave no administrator who can log in. Create another administrator first, or repeat the request with ?force=true':
    'Danach könnte sich kein Administrator mehr anmelden. Legen Sie zuerst einen anderen an, oder wiederholen Sie die Anfrage mit ?force=true',
  'This change would leave no administrator who can log in. Create another administrator first, or repeat the request with ?force=true: {1}':
    'Danach könnte sich kein Administrator mehr anmelden. Legen Sie zuerst einen anderen an.',
  'No document names {1}, the identity of this login, so it would be deleted. Add it to a document, or repeat the request with ?force=true':
    'Kein Dokument nennt {1}, die Identität dieser Anmeldung; sie würde gelöscht. Nehmen Sie sie in ein Dokument auf, oder wiederholen Sie die Anfrage mit ?force=true',
  'There is no refused request with this reference id: it is too old, or it was one of very many requests of one kind':
    'Zu dieser Kennung ist nichts aufgezeichnet: Es ist zu lange her, oder sie war eine von sehr vielen Anfragen einer Art',
};
