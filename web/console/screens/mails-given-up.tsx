import { PersonLink } from '../lists/columns.tsx';
import { useIsAdmin } from '../me.ts';
import { Confirm } from '../parts/confirm.tsx';
import { EntriesCard } from '../parts/entries.tsx';
import { Said, Time } from '../parts/time.tsx';
import { queries, useRead } from '../queries.ts';
import { texts, wordsOf } from '../texts/texts.ts';
import type { Mail } from '../types.ts';

const en = {
  title: 'Mails that were not sent',
  text: 'The mail server refused them for good, or was away for three days.',
  to: (address: string) => `to ${address}`,
  answer: 'Its answer:',
  again: 'Send again',
  againTitle: 'Send these mails again?',
  againText: 'To the same addresses. A link that no longer opens anything is not sent.',
  done: 'The mails are being sent',
  about: {
    invitation: 'Invitation',
    reset: 'Forgotten password',
    'password-changed': 'Password changed',
    'password-removed': 'Password removed',
    'totp-added': 'Authenticator app added',
    'totp-removed': 'Authenticator app removed',
    'passkey-added': 'Passkey added',
    'passkey-removed': 'Passkey removed',
    'certificate-added': 'Certificate added',
    'certificate-removed': 'Certificate removed',
    'email-changed': 'Email address changed',
  } satisfies Record<Mail['about'], string>,
};
const words = wordsOf(en, {
  title: 'Nicht versendete E-Mails',
  text: 'Der Mailserver hat sie endgültig abgelehnt oder war drei Tage lang nicht erreichbar.',
  to: (address) => `an ${address}`,
  answer: 'Seine Antwort:',
  again: 'Noch einmal senden',
  againTitle: 'Diese E-Mails noch einmal senden?',
  againText: 'An dieselben Adressen. Ein Link, der nichts mehr öffnet, wird nicht gesendet.',
  done: 'Die E-Mails werden gesendet',
  about: {
    invitation: 'Einladung',
    reset: 'Vergessenes Passwort',
    'password-changed': 'Passwort geändert',
    'password-removed': 'Passwort entfernt',
    'totp-added': 'Authenticator-App hinzugefügt',
    'totp-removed': 'Authenticator-App entfernt',
    'passkey-added': 'Passkey hinzugefügt',
    'passkey-removed': 'Passkey entfernt',
    'certificate-added': 'Zertifikat hinzugefügt',
    'certificate-removed': 'Zertifikat entfernt',
    'email-changed': 'E-Mail-Adresse geändert',
  },
});

const key = ['mails', 'failed'];

/** Nothing where all mails were taken. */
export function MailsGivenUp() {
  const isAdmin = useIsAdmin();
  const query = useRead<readonly Mail[]>(key, 'mails?state=failed&limit=20', { refetchInterval: 60_000 });
  if (query.data === undefined || query.data.length === 0) return null;
  const ids = query.data.map(({ id }) => id);
  return (
    <EntriesCard
      id="mails"
      title={words.title}
      lead={words.text}
      tools={
        isAdmin && (
          <Confirm
            id="send-again"
            label={words.again}
            title={words.againTitle}
            ends={words.againText}
            change={() => ({ method: 'POST', path: 'mails/send-again', body: { ids } })}
            command={null}
            done={words.done}
            whenDone={() => queries.invalidateQueries({ queryKey: key })}
          />
        )
      }
      query={query}
      entry={({ about, identity, to, createdAt, result }) => (
        <>
          <strong>{words.about[about]}</strong>{' '}
          {identity === null ? texts.attempts.unknown : <PersonLink of={identity} />}{' '}
          <bdi>{words.to(to)}</bdi>
          <span className="hint">
            <Time at={createdAt} />
            {result !== null && (
              <>
                {' · '}
                {words.answer} <Said text={result} />
              </>
            )}
          </span>
        </>
      )}
    />
  );
}
