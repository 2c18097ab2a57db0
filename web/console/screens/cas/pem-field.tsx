import { words } from './words.ts';

/** A certificate, pasted or from a file. */
export function PemField({
  id,
  label,
  value,
  set,
}: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly set: (pem: string) => void;
}) {
  return (
    <>
      <div className="field">
        <label htmlFor={id}>{label}</label>
        <textarea
          id={id}
          required
          rows={5}
          spellCheck={false}
          autoComplete="off"
          value={value}
          onChange={(event) => set(event.target.value)}
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-file`}>{words.file}</label>
        <input
          id={`${id}-file`}
          type="file"
          accept=".pem,.crt,.cer"
          onChange={async (event) => {
            const [file] = event.target.files ?? [];
            if (file !== undefined) set(await file.text());
          }}
        />
      </div>
    </>
  );
}
