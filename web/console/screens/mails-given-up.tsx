import { wordsOf } from '../../parts/language.ts';
import { PersonLink } from '../lists/columns.tsx';
import { useIsAdmin } from '../me.ts';
import { Confirm } from '../parts/confirm.tsx';
import { EntriesCard } from '../parts/entries.tsx';
import { Said, Time } from '../parts/time.tsx';
import { useRead } from '../queries.ts';
import { texts } from '../texts/texts.ts';
import type { Mail } from '../types.ts';

const words = wordsOf({
  title: ['Mails that were not sent', 'Nicht versendete E-Mails'],
  text: [
    'The mail server refused them for good, or was away for three days.',
    'Der Mailserver hat sie endgültig abgelehnt oder war drei Tage lang nicht erreichbar.',
  ],
  to: (address: string) => [`to ${address}`, `an ${address}`],
  answer: ['Its answer:', 'Seine Antwort:'],
  again: ['Send again', 'Noch einmal senden'],
  againTitle: ['Send these mails again?', 'Diese E-Mails noch einmal senden?'],
  againText: [
    'To the same addresses. A link that no longer opens anything is not sent.',
    'An dieselben Adressen. Ein Link, der nichts mehr öffnet, wird nicht gesendet.',
  ],
  done: ['The mails are being sent', 'Die E-Mails werden gesendet'],
  about: {
    invitation: ['Invitation', 'Einladung'],
    reset: ['Forgotten password', 'Vergessenes Passwort'],
    'password-changed': ['Password changed', 'Passwort geändert'],
    'password-removed': ['Password removed', 'Passwort entfernt'],
    'totp-added': ['Authenticator app added', 'Authenticator-App hinzugefügt'],
    'totp-removed': ['Authenticator app removed', 'Authenticator-App entfernt'],
    'passkey-added': ['Passkey added', 'Passkey hinzugefügt'],
    'passkey-removed': ['Passkey removed', 'Passkey entfernt'],
    'certificate-added': ['Certificate added', 'Zertifikat hinzugefügt'],
    'certificate-removed': ['Certificate removed', 'Zertifikat entfernt'],
    'email-changed': ['Email address changed', 'E-Mail-Adresse geändert'],
    'new-program': ['New program', 'Neues Programm'],
  } satisfies Record<Mail['about'], readonly [string, string]>,
});

/** Nothing where all mails were taken. */
export function MailsGivenUp() {
  const isAdmin = useIsAdmin();
  const query = useRead<readonly Mail[]>('mails?state=failed&limit=20', { refetchInterval: 60_000 });
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
