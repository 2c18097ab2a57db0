/** Why a field was refused, in German: sentences that begin with its name. See `in-language.ts`. */
export const refusalsInGerman: Readonly<Record<string, string>> = {
  'The field {1} {2}': 'Das Feld {1} {=2}',
  'The name {1} {2}': 'Der Name {1} {=2}',
  'Not possible for {1}: {2}. Nothing was changed': 'Nicht möglich für {1}: {=2}. Nichts wurde geändert',
  'Not possible for {1}: {2}': 'Nicht möglich für {1}: {=2}',
  'Not possible for line {1}: {2} {3}': 'Nicht möglich für Zeile {1}: {2} {=3}',
  '{1}; {2} of {3} are done, and the job {4} goes on from there':
    '{=1}; {2} von {3} sind erledigt, und der Auftrag {4} setzt dort fort',
  // any field
  'is required': 'ist erforderlich',
  'is required for a new one': 'ist bei etwas Neuem erforderlich',
  'is missing': 'fehlt',
  'is empty': 'ist leer',
  'is not known: nothing is taken here': 'ist unbekannt: hier wird nichts angenommen',
  'is not known here: known are {1}': 'ist hier unbekannt: bekannt sind {1}',
  'is not known here: the nearest known name is {1}': 'ist hier unbekannt: der nächste bekannte Name ist {1}',
  'must be a single text value': 'muss ein einzelner Text sein',
  'invalid input: expected {1}, received {2}': 'muss {=1} sein',
  'invalid input': 'ist nicht zulässig',
  'invalid option: expected one of {1}': 'muss eines davon sein: {1}',
  'too small: expected {1} to be >={2}': 'muss mindestens {2} sein',
  'too big: expected {1} to be <={2}': 'darf höchstens {2} sein',
  'too small: expected {1} to have >={2} characters': 'muss mindestens {2} Zeichen haben',
  'too big: expected {1} to have <={2} characters': 'darf höchstens {2} Zeichen haben',
  'too small: expected {1} to have >={2} items': 'muss mindestens {2} Einträge haben',
  'too big: expected {1} to have <={2} items': 'darf höchstens {2} Einträge haben',
  '=string': 'ein Text',
  '=number': 'eine Zahl',
  '=int': 'eine ganze Zahl',
  '=boolean': 'wahr oder falsch',
  '=array': 'eine Liste',
  '=object': 'ein Objekt',
  '=record': 'ein Objekt',
  '=undefined': 'nicht da',
  'must not be empty': 'darf nicht leer sein',
  'must not contain a private key': 'darf keinen privaten Schlüssel enthalten',
  'must be at most {1} characters long': 'darf höchstens {1} Zeichen lang sein',
  'must have at most {1} characters': 'darf höchstens {1} Zeichen haben',
  'must have at most {1} entries': 'darf höchstens {1} Einträge haben',
  'must be at most {1} KiB': 'darf höchstens {1} KiB groß sein',
  'must be at most {1} characters without control characters':
    'darf höchstens {1} Zeichen ohne Steuerzeichen haben',
  'must be at most {1} bytes of text': 'darf höchstens {1} Byte Text haben',
  'must be at most {1} printable ASCII characters': 'darf höchstens {1} druckbare ASCII-Zeichen haben',
  'must be at most {1} printable ASCII characters without spaces and "|"':
    'darf höchstens {1} druckbare ASCII-Zeichen ohne Leerzeichen und „|“ haben',
  'must not contain control characters or invisible characters':
    'darf keine Steuerzeichen oder unsichtbaren Zeichen enthalten',
  'must not begin or end with a space': 'darf nicht mit einem Leerzeichen beginnen oder enden',
  'must be between {1} and {2}': 'muss zwischen {1} und {2} liegen',
  'must be at least 0, which means {1}': 'muss mindestens 0 sein, was {1} bedeutet',
  'must be a whole number': 'muss eine ganze Zahl sein',
  'must be a whole number from {1} to {2}': 'muss eine ganze Zahl von {1} bis {2} sein',
  'must be a whole number from 1 to {1}, or null': 'muss eine ganze Zahl von 1 bis {1} oder leer sein',
  'must be one of {1}': 'muss eines davon sein: {1}',
  'must be among {1}': 'muss darunter sein: {1}',
  'must be 1 to 64 letters, digits, dots, dashes and underscores':
    'muss aus 1 bis 64 Buchstaben, Ziffern, Punkten, Binde- und Unterstrichen bestehen',
  'must be a time such as 2030-01-31T12:00:00Z': 'muss eine Zeit wie 2030-01-31T12:00:00Z sein',
  'must be in the future': 'muss in der Zukunft liegen',
  'must not be in the future': 'darf nicht in der Zukunft liegen',
  'must be within a year': 'muss innerhalb eines Jahres liegen',
  'must be within ten years': 'muss innerhalb von zehn Jahren liegen',
  'must be a duration such as 5m': 'muss eine Dauer wie 5m sein',
  '"{1}" is not a duration: {2}': '„{1}“ ist keine Dauer: {=2}',
  'it is empty; write for example 30m, 24h or 7d':
    'sie ist leer; schreiben Sie zum Beispiel 30m, 24h oder 7d',
  'it is too long': 'sie ist zu lang',
  'it must not be negative': 'sie darf nicht negativ sein',
  'it is finer than a millisecond': 'sie ist feiner als eine Millisekunde',
  'the unit is missing; write for example {1}, {2} or {3}':
    'die Einheit fehlt; schreiben Sie zum Beispiel {1}, {2} oder {3}',
  'write numbers with units d, h, m, s or ms, for example 30m, 24h or 7d':
    'schreiben Sie Zahlen mit den Einheiten d, h, m, s oder ms, zum Beispiel 30m, 24h oder 7d',
  '"{1}" is not a unit; the units are d, h, m, s and ms':
    '„{1}“ ist keine Einheit; die Einheiten sind d, h, m, s und ms',
  'must be from {1} to {2}, what the server has': 'muss von {1} bis {2} gehen, was der Server hat',
  'must be between 5 minutes (5m) and 30 days (30d)':
    'muss zwischen 5 Minuten (5m) und 30 Tagen (30d) liegen',
  'cannot be changed': 'lässt sich nicht ändern',
  'cannot be read': 'lässt sich nicht lesen',
  'cannot be used': 'lässt sich nicht verwenden',
  'cannot be used: {1}: {2}': 'lässt sich nicht verwenden: {1}: {=2}',
  'is refused: {1}': 'ist nicht zulässig: {=1}',
  'must not contain a user name or a password': 'darf weder Benutzernamen noch Passwort enthalten',
  'is not supported': 'wird nicht unterstützt',
  'appears twice': 'kommt zweimal vor',
  'is already taken': 'ist schon vergeben',
  'is already taken by an identity': 'ist schon an eine Identität vergeben',
  'is already taken by another identity; give this identity another name':
    'ist schon an eine andere Identität vergeben; geben Sie dieser einen anderen Namen',
  'is already taken: it passes for a name of the identity {1}; ?force=true gives it all the same':
    'ist schon vergeben: er ist mit einem Namen der Identität {1} zu verwechseln; ?force=true vergibt ihn trotzdem',
  'of an entity {1}': 'einer Entität {=1}',
  'of an identity {1}': 'einer Identität {=1}',
  'names no {1}': 'nennt nichts Vorhandenes ({1})',
  'names no identity': 'nennt keine Identität',
  'names no auth policy': 'nennt keine Auth-Richtlinie',
  'names no external JWT signer': 'nennt keinen externen JWT-Signer',
  'names no CA': 'nennt keine CA',
  'is missing, and no administrator would be left': 'fehlt, und es bliebe kein Administrator',
  'is missing, and no way to sign in would be left': 'fehlt, und es bliebe kein Weg zur Anmeldung',
  // identities and their authenticators
  'must be 1 to 100 characters long, without spaces around it and without invisible characters':
    'muss 1 bis 100 Zeichen haben, ohne Leerzeichen außen und ohne unsichtbare Zeichen',
  'must be one address such as ada@example.com, of at most {1} characters':
    'muss eine Adresse wie ada@example.com sein, mit höchstens {1} Zeichen',
  'must have values of at most {1} Unicode characters': 'darf Werte mit höchstens {1} Unicode-Zeichen haben',
  'must not be named __proto__': 'darf nicht __proto__ heißen',
  'needs an email': 'braucht eine E-Mail-Adresse',
  'is for an identity that is disabled': 'ist für eine deaktivierte Identität',
  'cannot be given together with durationMinutes': 'geht nicht zusammen mit durationMinutes',
  'cannot be given with a change': 'geht nicht zusammen mit einer Änderung',
  'cannot be given with a filter': 'geht nicht zusammen mit einem Filter',
  'cannot be given: {1} {2}': 'lässt sich nicht angeben: {1} {=2}',
  'or an action is required': 'oder eine Aktion ist erforderlich',
  'or ids is required': 'oder ids ist erforderlich',
  'is for one identity at a time': 'ist für eine Identität allein',
  'selects more than {1} identities': 'wählt mehr als {1} Identitäten aus',
  'selects, and has no sort, skip or limit': 'wählt aus und hat kein sort, skip oder limit',
  'contains an empty text, which everybody has; "true" selects every identity':
    'enthält einen leeren Text, den alle haben; „true“ wählt alle Identitäten aus',
  'is empty; "true" selects every identity': 'ist leer; „true“ wählt alle Identitäten aus',
  'concerns more than {1} identities: only administrators see what it changes':
    'betrifft mehr als {1} Identitäten: nur Administratoren sehen, was sich ändert',
  'has a column twice': 'hat eine Spalte zweimal',
  'has an unknown column {1}; known are {2}': 'hat eine unbekannte Spalte {1}; bekannt sind {2}',
  'has more than {1} rows': 'hat mehr als {1} Zeilen',
  'has no column "name"': 'hat keine Spalte „name“',
  'needs a line with the names of columns ({1}) and rows':
    'braucht eine Zeile mit den Namen der Spalten ({1}) und weitere Zeilen',
  '{1} in line {2}': '{=1} in Zeile {2}',
  'is the same as': 'ist wie',
  'passes for the one': 'ist zu verwechseln mit dem',
  'The password is not acceptable: {1}': 'Das Passwort ist nicht zulässig: {=1}',
  'it has {1} characters, at least {2} are needed': 'es hat {1} Zeichen, mindestens {2} sind nötig',
  'it is longer than {1} bytes': 'es ist länger als {1} Byte',
  'it is the current password': 'es ist das bisherige Passwort',
  'it is too common': 'es ist zu verbreitet',
  'it is too similar to the name of the user': 'es ist dem Namen zu ähnlich',
  'it needs a digit': 'es braucht eine Ziffer',
  'it needs a special character': 'es braucht ein Sonderzeichen',
  'it needs an upper-case and a lower-case letter': 'es braucht Groß- und Kleinbuchstaben',
  'has 1 to {1} characters, no invisible ones': 'hat 1 bis {1} Zeichen, keine unsichtbaren',
  'has 1 to 100 visible characters': 'hat 1 bis 100 sichtbare Zeichen',
  'goes with a certificate only': 'gehört nur zu einem Zertifikat',
  'goes with the method ottca only': 'gehört nur zur Methode ottca',
  'goes with the method updb only': 'gehört nur zur Methode updb',
  'is required for the method ottca': 'ist für die Methode ottca erforderlich',
  'is required for the method updb': 'ist für die Methode updb erforderlich',
  'names a CA that does not allow this (isOttCaEnrollmentEnabled)':
    'nennt eine CA, die das nicht erlaubt (isOttCaEnrollmentEnabled)',
  'needs edge.enrollment.signingCert in the configuration':
    'braucht edge.enrollment.signingCert in der Konfiguration',
  'is not for the type {1}': 'ist nicht für den Typ {1}',
  'is not right, or is locked after too many failures':
    'ist nicht richtig oder nach zu vielen Fehlversuchen gesperrt',
  'the identity already has one': 'die Identität hat schon eines',
  'the identity already has an enrollment of this method':
    'die Identität hat schon eine Registrierung mit dieser Methode',
  'the identity is already enrolled by this method': 'die Identität ist mit dieser Methode schon registriert',
  // auth policies
  'has AAGUIDs, such as {1}': 'hat AAGUIDs wie {1}',
  'needs the authorities of makers in the configuration: edge.passkeys.trustedRoots':
    'braucht die Stellen der Hersteller in der Konfiguration: edge.passkeys.trustedRoots',
  'is another name of requireExtJwt and says otherwise':
    'ist ein anderer Name von requireExtJwt und sagt etwas anderes',
  'name one with more than {1} entries, which only administrators read as a whole':
    'nennen eine mit mehr als {1} Einträgen, die nur Administratoren ganz lesen',
  // external JWT signers
  'is needed for {1}': 'ist für {1} nötig',
  'is not used by {1}': 'wird von {1} nicht verwendet',
  'is an issuer of this service': 'ist ein Aussteller dieses Dienstes',
  'must be sent again where issuer, externalAuthUrl or clientId change: it was set for that provider':
    'ist noch einmal einzugeben, wenn sich issuer, externalAuthUrl oder clientId ändern: es war für jenen Anbieter',
  'needs useExternalId: the claim becomes the external id':
    'braucht useExternalId: der Claim wird zur externen Id',
  'must be an https or http URL': 'muss eine https- oder http-URL sein',
  'must be scope names, one in each entry': 'muss je Eintrag ein Scope sein',
  'must be the name of a claim, or a JSON pointer that begins with a slash':
    'muss der Name eines Claims oder ein JSON-Pointer mit Schrägstrich am Anfang sein',
  'cannot be set together with certPem': 'geht nicht zusammen mit certPem',
  'can only be set together with certPem: key sets name their keys':
    'geht nur zusammen mit certPem: Schlüsselsätze nennen ihre Schlüssel',
  'is required unless certPem is set or discovery is on': 'ist ohne certPem und ohne discovery erforderlich',
  'is required: the issuer is no https address that could be asked':
    'ist erforderlich: der Aussteller ist keine https-Adresse, die man fragen könnte',
  'must be exactly one certificate in PEM form': 'muss genau ein Zertifikat in PEM-Form sein',
  'must be exactly one certificate in PEM form (several certificates)':
    'muss genau ein Zertifikat in PEM-Form sein (mehrere Zertifikate)',
  'must be exactly one certificate in PEM form ({1})': 'muss genau ein Zertifikat in PEM-Form sein ({1})',
  'has a key of a kind or size that is not accepted': 'hat einen Schlüssel von unzulässiger Art oder Größe',
  'has expired': 'ist abgelaufen',
  'publishes no key that can be used': 'veröffentlicht keinen verwendbaren Schlüssel',
  'is of the issuer {1}: use that': 'gehört zum Aussteller {1}: verwenden Sie diesen',
  '{1}. The address of a provider is its issuer. At Keycloak it ends in /realms/NAME, at Entra ID in /TENANT-ID/v2.0, at Okta often in /oauth2/default':
    '{=1}. Die Adresse eines Anbieters ist sein Aussteller. Bei Keycloak endet sie auf /realms/NAME, bei Entra ID auf /TENANT-ID/v2.0, bei Okta oft auf /oauth2/default',
  'is of the issuer {1}, which is not https: set the public https address of the provider in its own configuration, behind a proxy too':
    'gehört zum Aussteller {1}, der nicht https ist: setzen Sie die öffentliche https-Adresse des Anbieters in dessen Konfiguration, auch hinter einem Proxy',
  'is of the issuer {1}, where discovery does not work ({2}). If this server may speak for that issuer, create the signer by hand, with that issuer, jwksEndpoint {3} and externalAuthUrl {4}':
    'gehört zum Aussteller {1}, wo Discovery nicht funktioniert ({=2}). Darf dieser Server für ihn sprechen, legen Sie den Signer von Hand an, mit diesem Aussteller, jwksEndpoint {3} und externalAuthUrl {4}',
  'serves many tenants: its issuer has a placeholder, {1}. Put the id of your tenant (directory) into the address, in place of "common", "organizations" or "consumers"':
    'ist für viele Mandanten: der Aussteller hat einen Platzhalter, {1}. Setzen Sie die Id Ihres Mandanten (Verzeichnisses) in die Adresse, anstelle von „common“, „organizations“ oder „consumers“',
  'the address is not a usable URL': 'die Adresse ist keine verwendbare URL',
  'the address, or one that it redirects to, is not https':
    'die Adresse oder eine, auf die sie weiterleitet, ist nicht https',
  'the host is not allowed by the configuration': 'die Konfiguration erlaubt den Host nicht',
  'the host has an IP address that is not allowed': 'der Host hat eine IP-Adresse, die nicht erlaubt ist',
  'the host has a private or loopback address: {1}':
    'der Host hat eine private oder lokale Adresse: tragen Sie seinen Namen bei additionalHostnames in edge.externalJwtSigners.jwksFetch ein; eine bloße Adresse erlaubt allowedIPs, das dann auch jeden anderen Anbieter nennen muss',
  'the host name could not be resolved': 'der Hostname ließ sich nicht auflösen',
  'the server could not be reached or broke the connection':
    'der Server war nicht erreichbar oder brach die Verbindung ab',
  'the TLS handshake failed or the certificate is not trusted':
    'der TLS-Handshake schlug fehl, oder dem Zertifikat wird nicht vertraut',
  'the certificate of the server is for another name than that in the address':
    'das Zertifikat des Servers ist für einen anderen Namen als den in der Adresse',
  'the certificate of the server is not valid at this time':
    'das Zertifikat des Servers ist zu dieser Zeit nicht gültig',
  'the proxy (proxy in edge.externalJwtSigners.jwksFetch) could not be reached':
    'der Proxy (proxy in edge.externalJwtSigners.jwksFetch) war nicht erreichbar',
  'the proxy (proxy in edge.externalJwtSigners.jwksFetch) refused to connect to the host: check what it allows, and user and password in its URL':
    'der Proxy (proxy in edge.externalJwtSigners.jwksFetch) lehnt die Verbindung zum Host ab: prüfen Sie, was er erlaubt, und Benutzer und Passwort in seiner URL',
  'the answer took too long': 'die Antwort dauerte zu lange',
  'there were too many redirects': 'es gab zu viele Weiterleitungen',
  'the server answered with an error status': 'der Server antwortete mit einem Fehlerstatus',
  'the answer is compressed': 'die Antwort ist komprimiert',
  'the answer is too large': 'die Antwort ist zu groß',
  // CAs
  'can only be SCHEME for the location SAN_URI': 'kann nur beim Ort SAN_URI SCHEME sein',
  'must be 0 for the parser NONE, which leaves one part':
    'muss beim Parser NONE 0 sein, der einen Teil übrig lässt',
  'is required for the matcher {1}': 'ist für den Matcher {1} erforderlich',
  'is required for the parser SPLIT': 'ist für den Parser SPLIT erforderlich',
  'cannot be changed; register the other certificate as a separate CA':
    'lässt sich nicht ändern; legen Sie das andere Zertifikat als eigene CA an',
  "is an authority of the overlay's own PKI, which is trusted already":
    'ist eine Stelle der eigenen PKI des Overlays, der schon vertraut wird',
  'cannot be an authority: {1}': 'kann keine CA sein: {=1}',
  'is a certificate authority, which does not log in': 'ist eine CA, und die meldet sich nicht an',
  'is not meant for client authentication': 'ist nicht für die Anmeldung von Clients',
  'has a list that is older than the one that it replaces ({1})':
    'hat eine Liste, die älter ist als die, die sie ersetzt ({1})',
  'must have the verification token as its only common name':
    'muss das Prüftoken als einzigen Common Name haben',
  'does not lead to this CA: {1}': 'führt nicht zu dieser CA: {=1}',
  // applications
  'must be none for a public client': 'muss bei einem öffentlichen Client none sein',
  'must not be none for a confidential client': 'darf bei einem vertraulichen Client nicht none sein',
  'may be false for a confidential client only': 'darf nur bei einem vertraulichen Client aus sein',
  'must not be set together with jwks': 'geht nicht zusammen mit jwks',
  'or jwksUri is required for private_key_jwt': 'oder jwksUri ist für private_key_jwt erforderlich',
  'must have openid': 'muss openid enthalten',
  'must be about {1}': 'muss von diesen handeln: {1}',
  'must come from {1} or tags.NAME': 'muss aus {1} oder tags.NAME kommen',
  'roleAttributes is a list, which only groups can contain':
    'roleAttributes ist eine Liste, die nur groups enthalten kann',
  'must be absolute URIs without a fragment': 'muss aus absoluten URIs ohne Fragment bestehen',
  'must be a JWK set': 'muss ein JWK-Set sein',
  'must have public keys only; make a new key, this one is known now':
    'darf nur öffentliche Schlüssel haben; erzeugen Sie einen neuen, dieser ist jetzt bekannt',
  'has no key that can be used': 'hat keinen verwendbaren Schlüssel',
  'must be https': 'muss https sein',
  'must be an https URL without a fragment': 'muss eine https-URL ohne Fragment sein',
  'must be data:image/png;base64, with a PNG picture': 'muss data:image/png;base64, mit einem PNG-Bild sein',
  'must be at most {1} pixels wide and high': 'darf höchstens {1} Pixel breit und hoch sein',
  'must be at most 64 KiB': 'darf höchstens 64 KiB groß sein',
  'has the redirect URI {1}, which is refused: {2}': 'hat die Redirect-URI {1}, die nicht zulässig ist: {=2}',
  'it is longer than {1} characters': 'sie ist länger als {1} Zeichen',
  'it must not have a fragment': 'sie darf kein Fragment haben',
  'it contains a backslash, which some parsers take for a slash':
    'sie enthält einen Rückstrich, den manche Parser für einen Schrägstrich halten',
  'it contains a character that a URI cannot have; write {1}':
    'sie enthält ein Zeichen, das in einer URI nicht stehen darf; schreiben Sie {1}',
  'it contains a character that a URI must write percent-encoded':
    'sie enthält ein Zeichen, das in einer URI mit % zu kodieren ist',
  'a % must be followed by two hexadecimal digits': 'auf ein % müssen zwei Hexadezimalziffern folgen',
  'it must be absolute, for example https://app.example.com/callback':
    'sie muss absolut sein, zum Beispiel https://app.example.com/callback',
  'write the scheme in lower case': 'schreiben Sie das Schema klein',
  'write the host in lower case': 'schreiben Sie den Host klein',
  'the scheme {1} is not allowed': 'das Schema {1} ist nicht erlaubt',
  'it contains a second address; list each by itself':
    'sie enthält eine zweite Adresse; führen Sie jede für sich auf',
  'write https:// before it, or http:// for localhost':
    'schreiben Sie https:// davor, oder http:// für localhost',
  '{1} is no scheme of the web; write {2}': '{1} ist kein Schema des Webs; schreiben Sie {2}',
  'it must begin with {1}': 'sie muss mit {1} beginnen',
  'it must not contain a user name (@)': 'sie darf keinen Benutzernamen (@) enthalten',
  'its host cannot be read': 'ihr Host lässt sich nicht lesen',
  'its host or port cannot be read': 'ihr Host oder Port lässt sich nicht lesen',
  'its host is missing': 'ihr Host fehlt',
  'its host must be a host name or an IP address in its usual form':
    'ihr Host muss ein Hostname oder eine IP-Adresse in üblicher Form sein',
  'plain http is allowed for localhost, 127.0.0.1 and [::1] only; use https':
    'http ohne TLS ist nur für localhost, 127.0.0.1 und [::1] erlaubt; nehmen Sie https',
  'a path must follow the port, for example /auth/callback':
    'auf den Port muss ein Pfad folgen, zum Beispiel /auth/callback',
  'its port must be a number from 1 to 65535 without leading zero':
    'ihr Port muss eine Zahl von 1 bis 65535 ohne führende Null sein',
  'its path must not contain . or .. as a segment': 'ihr Pfad darf kein Segment . oder .. haben',
  'write it as {1} or {2}': 'schreiben Sie sie als {1} oder {2}',
  '* may only replace the whole port, for example https://app.example.com:*/callback':
    '* darf nur den ganzen Port ersetzen, zum Beispiel https://app.example.com:*/callback',
  // filters and lists
  'The filter could not be parsed: {1}': 'Der Filter lässt sich nicht lesen: {=1}',
  'The sort order could not be parsed: {1}': 'Die Sortierung lässt sich nicht lesen: {=1}',
  'expected at position {1}: {2}': 'an Stelle {1} wurde erwartet: {=2}',
  'the end of the filter': 'das Ende des Filters',
  'a text that ends with a quotation mark': 'ein Text, der mit einem Anführungszeichen endet',
  'a name, a value or an operator': 'ein Name, ein Wert oder ein Operator',
  'a time such as datetime(2026-01-31T12:00:00Z)': 'eine Zeit wie datetime(2026-01-31T12:00:00Z)',
  'a text with the escapes {1}': 'ein Text mit den Escapes {1}',
  'a text of Unicode characters': 'ein Text aus Unicode-Zeichen',
  'a text in quotation marks': 'ein Text in Anführungszeichen',
  'contains and a text in quotation marks': 'contains und ein Text in Anführungszeichen',
  'true or false': 'true oder false',
  '{1}, or null': '{=1} oder null',
  'a comma or the end': 'ein Komma oder das Ende',
  'the end, after at most {1} comparisons': 'das Ende, nach höchstens {1} Vergleichen',
  'at most {1} levels of nesting': 'höchstens {1} Ebenen von Klammern',
  'and, or, or a closing parenthesis': 'and, or oder eine schließende Klammer',
  '"contains", because this field is a list': '„contains“, denn dieses Feld ist eine Liste',
  'one of = != < <= > >= contains icontains in': 'eines von = != < <= > >= contains icontains in',
  'one of = != < <= > >= in': 'eines von = != < <= > >= in',
  'one of the fields {1}': 'eines der Felder {1}',
  'a list in square brackets': 'eine Liste in eckigen Klammern',
  'the end of the list, after {1} values': 'das Ende der Liste, nach {1} Werten',
  'a comma or a closing bracket': 'ein Komma oder eine schließende Klammer',
  'a field that has an order': 'ein Feld, das eine Reihenfolge hat',
  'and, or, sort by, skip, limit, each at most once, or the end':
    'and, or, sort by, skip, limit, jedes höchstens einmal, oder das Ende',
  'at most {1} fields': 'höchstens {1} Felder',
  'a whole number': 'eine ganze Zahl',
  'A filter can have at most {1} terms and values': 'Ein Filter kann höchstens {1} Terme und Werte haben',
  'There is no field {1} here. Known: {2}': 'Ein Feld {1} gibt es hier nicht. Bekannt sind: {2}',
  '{1} is compared with {2}': '{1} wird verglichen mit: {=2}',
  '=a text': 'ein Text',
  '=contains and a text': 'contains und ein Text',
  '=a time like 2026-01-31T12:00:00Z': 'eine Zeit wie 2026-01-31T12:00:00Z',
  'null can only be compared with = and !=': 'null lässt sich nur mit = und != vergleichen',
  'The list {1}': 'Die Liste {=1}',
  'takes longer than {1} seconds because it skips {2} entries: ask for the entries after the last one that you have, such as {3} > "VALUE"':
    'braucht länger als {1} Sekunden, weil sie {2} Einträge überspringt: fragen Sie nach denen hinter dem letzten, den Sie haben, etwa {3} > "WERT"',
  'takes longer than {1} seconds because no index finds {2}: leave it out, or add a term that few entries match, such as id or name with =':
    'braucht länger als {1} Sekunden, weil kein Index {2} findet: lassen Sie es weg, oder nehmen Sie einen Term hinzu, der auf wenige Einträge passt, etwa id oder name mit =',
  'takes longer than {1} seconds because no index has the order by {2}: leave the order out, or add a term that few entries match':
    'braucht länger als {1} Sekunden, weil kein Index die Reihenfolge nach {2} hat: lassen Sie sie weg, oder nehmen Sie einen Term hinzu, der auf wenige Einträge passt',
  'takes longer than {1} seconds because many entries match, and the order by {2} has them late: say where it should begin, such as {3} > "VALUE", or add a term that few entries match':
    'braucht länger als {1} Sekunden, weil viele Einträge passen und in der Reihenfolge nach {2} spät kommen: sagen Sie, wo sie beginnen soll, etwa {3} > "WERT", oder nehmen Sie einen Term hinzu, der auf wenige Einträge passt',
  'has too many entries (about {1}) to search all for {2}: an index finds texts of {3} characters or more, so add characters, or a term that few entries match':
    'hat zu viele Einträge (etwa {1}), um alle nach {2} abzusuchen: ein Index findet Texte ab {3} Zeichen, also geben Sie mehr Zeichen an oder einen Term, der auf wenige Einträge passt',
  'has too many entries (about {1}) to read all for the order by {2}, which no index has: leave the order out, or add a term that few entries match':
    'hat zu viele Einträge (etwa {1}), um für die Sortierung nach {2}, für die es keinen Index gibt, alle zu lesen: lassen Sie die Sortierung weg oder geben Sie einen Term an, der auf wenige Einträge passt',
  'costs {1} comparisons for each of about {2} entries, and {3} are possible: use fewer terms (the first icontains of a field counts as {4}), or "in" with all values of a field':
    'kostet {1} Vergleiche für jeden von etwa {2} Einträgen, und {3} sind möglich: nehmen Sie weniger Terme (das erste icontains eines Feldes zählt als {4}) oder „in“ mit allen Werten eines Feldes',
  'has more than {1} entries, which is too many for limit none in this order: leave the order out, or use limit and offset':
    'hat mehr als {1} Einträge, zu viele für limit none in dieser Reihenfolge: lassen Sie sie weg, oder nehmen Sie limit und offset',
  // event subscriptions
  'is needed for clientCertPem': 'ist für clientCertPem nötig',
  'is needed for clientKey': 'ist für clientKey nötig',
  'is not a filter of events: {1}': 'ist kein Filter für Ereignisse: {=1}',
  'must not sort, skip or limit': 'darf nicht sortieren, überspringen oder begrenzen',
  'must be certificates in PEM': 'muss aus Zertifikaten in PEM bestehen',
  'must be the private key of clientCertPem, in PEM and without a password':
    'muss der private Schlüssel zu clientCertPem sein, in PEM und ohne Passwort',
  'must be tls://host:port': 'muss tls://host:port sein',
  'There are {1} event subscriptions already': 'Es gibt schon {1} Ereignis-Abonnements',
  'Only webhooks are signed with a secret': 'Nur Webhooks werden mit einem Geheimnis signiert',
};
