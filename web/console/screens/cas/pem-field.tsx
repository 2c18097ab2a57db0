import { FileField, InputField } from '../../parts/field.tsx';
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
      <FileField
        id={`${id}-file`}
        label={words.file}
        accept=".pem,.crt,.cer"
        choose={async (file) => file !== undefined && field.set(await file.text())}
      />
    </>
  );
}
