import { useState } from 'react';
import { longestQrText } from '../../../../src/platform/formats/qr-text.ts';
import { KeepText } from '../../../parts/keep.tsx';
import { timeText } from '../../../parts/language.ts';
import { Button } from '../../../parts/screen.tsx';
import { Later } from '../../parts/later.tsx';
import type { Enrollment } from '../../types.ts';
import type { Invited } from './first-access.ts';
import { words } from './words.ts';

/** A secret to hand over once: as text, as a QR code, or as a file. */
export function HandOver({
  says,
  text,
  file,
}: {
  /** Its kind, and how long it works. */
  says: string;
  text: string;
  file: { readonly name: string; readonly type: string };
}) {
  const [isDrawn, setDrawn] = useState(false);
  const isTooLong = text.length > longestQrText;
  return (
    <div className="made printed" role="status">
      <p>{says}</p>
      <code className="secret">{text}</code>
      <KeepText id="made" text={text} file={file}>
        {isTooLong ? (
          <span className="hint">{words.qrLong}</span>
        ) : (
          <Button id="show-qr" aria-expanded={isDrawn} onClick={() => setDrawn(!isDrawn)}>
            {words.qr}
          </Button>
        )}
      </KeepText>
      {isDrawn && <QrCode text={text} label={words.qrLabel} />}
    </div>
  );
}

/**
 * Drawn here, so that its content is in no address. The white margin is part of it, in dark mode too (ISO/IEC 18004).
 */
function QrCode({ text, label }: { text: string; label: string }) {
  return (
    <Later name="QR code" load={loadEncoder} mayReload={false}>
      {({ encode }) => {
        const { data, size } = encode(text, { ecc: 'M', border: 4 });
        const modules = data.flatMap((row, y) =>
          row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
        );
        return (
          <svg
            className="qr"
            viewBox={`0 0 ${size} ${size}`}
            role="img"
            aria-label={label}
            shapeRendering="crispEdges"
          >
            <rect width={size} height={size} fill="#fff" />
            <path d={modules.join('')} fill="#000" />
          </svg>
        );
      }}
    </Later>
  );
}

const loadEncoder = () => import('uqr');

/** The link of an invitation. */
export function InvitationLink({ name, invited }: { name: string; invited: Invited }) {
  const { url, sentTo = '' } = invited;
  const until = timeText(invited.expiresAt);
  if (url === undefined)
    return (
      <p id="invitation-sent" role="status">
        {words.linkSent(sentTo, until)}
      </p>
    );
  return (
    <HandOver
      says={words.linkText(until)}
      text={url}
      file={{ name: fileName(name, 'txt'), type: 'text/plain' }}
    />
  );
}

/** The token for a person's device. */
export function DeviceToken({
  name,
  enrollment: { jwt, expiresAt },
}: {
  name: string;
  enrollment: Enrollment;
}) {
  if (jwt === undefined) return null;
  return (
    <HandOver
      says={words.fileText(timeText(expiresAt))}
      text={jwt}
      file={{ name: fileName(name, 'jwt'), type: 'application/jwt' }}
    />
  );
}

/** A safe file name: strangers choose people's names. */
export function fileName(name: string, ending: string): string {
  const safe = name.replaceAll(/[^\p{L}\p{N}.-]+/gu, '-').replaceAll(/^[.-]+|[.-]+$/g, '');
  return `${safe === '' ? 'person' : safe.slice(0, 80)}.${ending}`;
}
