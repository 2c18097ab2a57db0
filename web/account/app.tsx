// The authenticator app: setting it up, new recovery codes, removing it.

import { type ClientSchemas, Refusal } from '@overlay-auth/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, useSyncExternalStore } from 'react';
import { useAction } from '../parts/action.ts';
import { announce } from '../parts/announce.tsx';
import { serviceName } from '../parts/brand.tsx';
import { held } from '../parts/held.ts';
import { CopyButton, KeepText } from '../parts/keep.tsx';
import { Button, Screen } from '../parts/screen.tsx';
import { failureText } from './failure.tsx';
import { CodeField, codeIn, Form, factorFault } from './form.tsx';
import { Loaded } from './loaded.tsx';
import { Folded, type OfferedProof, ProvenForm } from './proven-form.tsx';
import { useAuthenticators, useIdentity } from './reading.ts';
import { api } from './session.ts';
import { texts } from './texts.ts';

const path = '/current-identity/mfa';

/** Not of the part that is shown: a person who has left it before they came could not see them again. */
const newCodes = held<readonly string[] | null>(null);

async function readState(signal: AbortSignal) {
  try {
    return (await api.GET(path, { signal })).data.data;
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null;
    throw error;
  }
}

export function AppPart() {
  const queries = useQueryClient();
  const state = useQuery({ queryKey: ['app'], queryFn: ({ signal }) => readState(signal) });
  const authenticators = useAuthenticators();
  /** Shown once, in place of the state that the server has. */
  const codes = useSyncExternalStore(newCodes.on, newCodes.current);
  const hasPassword = authenticators.data?.some(({ method }) => method === 'updb') ?? false;
  /** Shows the state that the server has now. */
  const refresh = async (said?: string) => {
    await queries.invalidateQueries({ queryKey: ['app'] });
    newCodes.become(null);
    if (said !== undefined) announce(said);
  };
  const begin = async (body: OfferedProof) => {
    await api.POST(path, { body });
    await refresh();
  };
  const shown = codes !== null ? 'codes' : !state.data ? 'off' : state.data.isVerified ? 'on' : 'set-up';
  return (
    // Moves the focus to the heading of the new content, for screen readers.
    <Screen key={shown} title={texts.app}>
      <Loaded query={state}>
        {(found) => {
          if (codes !== null) return <NewCodes codes={codes} refresh={refresh} />;
          if (found === null)
            return (
              <ProvenForm
                id="set-up-app"
                submit={texts.beginSetUp}
                hasPassword={hasPassword}
                action={(_values, proof) => begin(proof)}
              >
                <p>{texts.appOff}</p>
              </ProvenForm>
            );
          if (!found.isVerified) return <SetUp enrollment={found} refresh={refresh} />;
          return (
            <On
              codesLeft={found.recoveryCodesLeft ?? 0}
              hasPassword={hasPassword}
              begin={begin}
              refresh={refresh}
            />
          );
        }}
      </Loaded>
    </Screen>
  );
}

type Refresh = (said?: string) => Promise<void>;

function On({
  codesLeft,
  hasPassword,
  begin,
  refresh,
}: {
  codesLeft: number;
  hasPassword: boolean;
  begin: (proof: OfferedProof) => Promise<void>;
  refresh: Refresh;
}) {
  const renew = async (values: FormData, proof: OfferedProof) => {
    const body = { code: codeIn(values), ...proof };
    const { data } = await api.POST(`${path}/recovery-codes`, { body });
    newCodes.become(data.data.recoveryCodes);
    announce(texts.newCodesReady);
  };
  const remove = async (values: FormData, proof: OfferedProof) => {
    await api.DELETE(path, { body: { code: codeIn(values), ...proof } });
    await refresh(texts.appRemoved);
  };
  const replace = async (values: FormData, proof: OfferedProof) => {
    await api.DELETE(path, { body: { code: codeIn(values), ...proof } });
    // The account has none now, and the code is used up: there is nothing to try again here.
    await begin(proof).catch((error) => refresh(`${texts.appRemoved} ${failureText(error)}`));
  };
  const left = texts.codesLeft(codesLeft);
  return (
    <>
      <p>{texts.appOn}</p>
      <p id="codes-left">{codesLeft < 5 ? `${left} ${texts.fewCodes}` : left}</p>
      <WithCode
        {...{ id: 'another-app', hasPassword, label: texts.anotherApp, text: texts.anotherAppText }}
        kind="danger"
        action={replace}
      />
      <WithCode
        {...{ id: 'new-codes', hasPassword, label: texts.newCodes, text: texts.newCodesText }}
        action={renew}
      />
      <WithCode
        {...{ id: 'remove-app', hasPassword, label: texts.removeApp, text: texts.removeAppText }}
        kind="danger"
        action={remove}
      />
    </>
  );
}

/** A change that takes a code. */
function WithCode({
  id,
  label,
  text,
  ...form
}: Pick<ComponentProps<typeof ProvenForm>, 'id' | 'kind' | 'hasPassword' | 'action'> & {
  label: string;
  text: string;
}) {
  return (
    <Folded id={`fold-${id}`} label={label}>
      <p>{text}</p>
      <ProvenForm {...form} id={id} submit={label}>
        <CodeField id={`${id}-code`} label={texts.anyCode} />
      </ProvenForm>
    </Folded>
  );
}

function NewCodes({ codes, refresh }: { codes: readonly string[]; refresh: Refresh }) {
  return (
    <>
      <p>{texts.newCodesReady}</p>
      <RecoveryCodes codes={codes} />
      <Form id="codes-saved" submit={texts.done} action={() => refresh()}>
        <SavedBox id="codes-saved-box" />
      </Form>
    </>
  );
}

/** A set-up in progress: the secret for the app, the recovery codes, and the first code. */
function SetUp({
  enrollment: { provisioningUrl = '', recoveryCodes = [] },
  refresh,
}: {
  enrollment: ClientSchemas['schemas']['TotpEnrollment'];
  refresh: Refresh;
}) {
  const confirm = async (values: FormData) => {
    try {
      await api.POST(`${path}/verify`, { body: { code: codeIn(values) } });
    } catch (error) {
      throw factorFault(error);
    }
    await refresh(texts.appReady);
  };
  const cancelling = useAction({
    mutationFn: () => api.DELETE(path, { body: {} }),
    onError: (error) => announce(failureText(error)),
    onSettled: () => refresh(),
  });
  const secret = new URL(provisioningUrl).searchParams.get('secret') ?? '';
  return (
    <>
      <QrCode secret={secret} />
      <p>
        {texts.setUp.orType}{' '}
        <code id="secret" className="secret">
          {(secret.match(/.{1,4}/g) ?? []).join(' ')}
        </code>
      </p>
      <p className="buttons">
        <a className="button link" href={provisioningUrl}>
          {texts.setUp.openApp}
        </a>
        <CopyButton id="copy-key" text={secret} label={texts.setUp.copyKey} />
      </p>
      <RecoveryCodes codes={recoveryCodes} />
      <Form
        id="confirm-app"
        submit={texts.setUp.confirm}
        action={confirm}
        others={
          <Button id="cancel-app" isBusy={cancelling.isPending} onClick={() => cancelling.mutate()}>
            {texts.cancel}
          </Button>
        }
      >
        <SavedBox id="app-saved" />
        <CodeField id="app-code" label={texts.appCode} />
      </Form>
    </>
  );
}

/** The key as a picture. Without it, the key below is enough. */
function QrCode({ secret }: { secret: string }) {
  const { data: picture } = useQuery({
    queryKey: ['qr-code', secret],
    queryFn: async ({ signal }) => {
      const accept = { accept: 'image/svg+xml' };
      const { data } = await api.GET(`${path}/qr-code`, { headers: accept, parseAs: 'text', signal });
      return String(data);
    },
  });
  if (picture === undefined) return null;
  return (
    <>
      <p>{texts.setUp.scan}</p>
      <img
        className="qr"
        src={`data:image/svg+xml,${encodeURIComponent(picture)}`}
        alt={texts.setUp.picture}
        width="240"
        height="240"
      />
    </>
  );
}

/** Recovery codes, shown once: to copy, to download, to print. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const { data: me } = useIdentity();
  // A person with several sheets or files of codes can tell them apart.
  const why = texts.setUp.codesWhy(me?.name ?? '…', `${serviceName} (${location.host})`);
  return (
    <section className="card printed" aria-labelledby="recovery-codes-title">
      <h2 id="recovery-codes-title">{texts.recoveryCodes}</h2>
      <p>{why}</p>
      <ul id="recovery-codes" className="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <KeepText
        id="codes"
        text={`${why}\n\n${codes.join('\n')}\n`}
        file={{ name: texts.setUp.fileName, type: 'text/plain' }}
      />
    </section>
  );
}

/** The person continues only after confirming that they have saved the codes. */
export function SavedBox({ id }: { id: string }) {
  return (
    <label className="check" htmlFor={id}>
      <input id={id} name="saved" type="checkbox" required /> {texts.setUp.saved}
    </label>
  );
}
