import { useAction } from '../../../parts/action.ts';
import { CopyButton } from '../../../parts/keep.tsx';
import { timeText } from '../../../parts/language.ts';
import { Button, Card } from '../../../parts/screen.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { SameChange } from '../../parts/same-change.tsx';
import { refresh, useRead } from '../../queries.ts';
import { type Change, make } from '../../session/api.ts';
import { texts } from '../../texts/texts.ts';
import type { OidcClientSecret } from '../../types.ts';
import { words } from './words.ts';

/** The most that an application may have. */
const most = 2;

export function newSecretOf(id: string): Change {
  return { method: 'POST', path: `oidc-clients/${id}/secrets` };
}

/** The secrets of an application, by creation time. The secrets themselves cannot be seen again. */
export function ClientSecrets({ id, mayChange }: { id: string; mayChange: boolean }) {
  const path = `oidc-clients/${encodeURIComponent(id)}/secrets`;
  const query = useRead<readonly OidcClientSecret[]>(path);
  const adding = useAction({
    mutationFn: () => make<{ readonly secret: string }>(newSecretOf(id)),
    onSuccess: refresh,
  });
  return (
    <Card id="secrets" title={words.secrets}>
      <p className="hint">{words.secretsText}</p>
      <Loaded query={query}>
        {(secrets) => (
          <>
            {secrets.length === 0 ? <p>{words.noSecrets}</p> : null}
            <ul className="entries">
              {secrets.map((secret) => (
                <Secret key={secret.id} clientId={id} secret={secret} mayChange={mayChange} />
              ))}
            </ul>
            {adding.data !== undefined && <ShownOnce label={words.secretOnce} text={adding.data.secret} />}
            {adding.error !== null && <Failure error={adding.error} />}
            {mayChange && secrets.length < most && (
              <>
                <p className="buttons">
                  <Button id="add-secret" isBusy={adding.isPending} onClick={() => adding.mutate()}>
                    {words.addSecret}
                  </Button>
                </p>
                <SameChange command={['oidc-client', 'add-secret', id]} change={newSecretOf(id)} />
              </>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Secret({
  clientId,
  secret: { id, createdAt, lastUsedAt },
  mayChange,
}: {
  clientId: string;
  secret: OidcClientSecret;
  mayChange: boolean;
}) {
  const used = lastUsedAt === null ? words.unused : words.used(timeText(lastUsedAt));
  return (
    <li className="session">
      <span>
        {words.made(timeText(createdAt))}, {used}
      </span>
      {mayChange && (
        <Confirm
          id={`delete-secret-${id}`}
          label={texts.delete}
          title={words.deleteSecretTitle}
          ends={words.deleteSecretEnds}
          change={() => ({ method: 'DELETE', path: `oidc-clients/${clientId}/secrets/${id}` })}
          command={['oidc-client', 'delete-secret', clientId, id]}
          done={words.secretDeleted}
        />
      )}
    </li>
  );
}

/** The new application, with its first secret. */
export interface Created {
  readonly id: string;
  readonly name: string;
  /** Null: it needs none. */
  readonly secret: string | null;
  /** Why there is no secret yet. */
  readonly failure: unknown;
}

/** @param newSecret null: it needs none */
export async function withSecret<About extends Pick<Created, 'id' | 'name'>>(
  about: About,
  newSecret: Change | null,
): Promise<About & Created> {
  try {
    const made = newSecret && (await make<{ readonly secret: string }>(newSecret));
    return { ...about, secret: made?.secret ?? null, failure: null };
  } catch (failure) {
    return { ...about, secret: null, failure };
  }
}

/** The secret of the new application, or why there is none. */
export function FirstSecret({ secret, failure, label }: Created & { readonly label: string }) {
  if (failure !== null) return <Failure error={failure} />;
  return secret !== null && <ShownOnce label={label} text={secret} />;
}

/** A value that is shown once, to copy. */
export function ShownOnce({ label, text }: { label: string; text: string }) {
  return (
    <div className="note" role="status">
      <p>{label}</p>
      <p>
        <code className="secret">{text}</code> <CopyButton text={text} />
      </p>
    </div>
  );
}
