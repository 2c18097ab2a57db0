import { InputField } from '../../parts/field.tsx';
import { words } from './words.ts';

/** A certificate, pasted or from a file. */
export function PemField({
  id,
  ...field
}: {
  id: string;
  label: string;
  value: string;
  set: (pem: string) => void;
}) {
  return (
    <>
      <InputField id={id} {...field} required rows={5} spellCheck={false} autoComplete="off" />
      <div className="field">
        <label htmlFor={`${id}-file`}>{words.file}</label>
        <input
          id={`${id}-file`}
          type="file"
          accept=".pem,.crt,.cer"
          onChange={async (event) => {
            const [file] = event.target.files ?? [];
            if (file !== undefined) field.set(await file.text());
          }}
        />
      </div>
    </>
  );
}
