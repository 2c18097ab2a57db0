import { KeepText } from '../parts/keep.tsx';
import { texts } from './texts.ts';

/** Recovery codes, shown once: to copy, to download, to print. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <section className="card printed" aria-labelledby="recovery-codes-title">
      <h2 id="recovery-codes-title">{texts.recoveryCodes}</h2>
      <p>{texts.setUp.codesWhy}</p>
      <ul id="recovery-codes" className="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <KeepText
        id="codes"
        text={`${codes.join('\n')}\n`}
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
