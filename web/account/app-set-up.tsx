import type { ClientSchemas } from '@overlay-auth/client';
import { useQuery } from '@tanstack/react-query';
import { CopyButton } from '../parts/keep.tsx';
import { Button } from '../parts/screen.tsx';
import { CodeField, codeIn, Form, factorFault } from './form.tsx';
import { RecoveryCodes, SavedBox } from './recovery-codes.tsx';
import { api } from './session.ts';
import { texts } from './texts.ts';

const path = '/current-identity/mfa';

/** A set-up in progress: the secret for the app, the recovery codes, and the first code. */
export function SetUp({
  enrollment: { provisioningUrl = '', recoveryCodes = [] },
  refresh,
}: {
  enrollment: ClientSchemas['schemas']['TotpEnrollment'];
  refresh: (said?: string) => Promise<void>;
}) {
  const confirm = async (values: FormData) => {
    try {
      await api.POST(`${path}/verify`, { body: { code: codeIn(values) } });
    } catch (error) {
      throw factorFault(error);
    }
    await refresh(texts.appReady);
  };
  const cancel = async () => {
    await api.DELETE(path, { body: {} }).catch(() => undefined);
    await refresh();
  };
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
          <Button id="cancel-app" onClick={cancel}>
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
