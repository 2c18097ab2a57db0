// A small picture that goes into a document: any file that the browser can show, drawn again as a PNG of a few pixels.

import { useState } from 'react';
import { announce } from '../../parts/announce.tsx';
import { Button } from '../../parts/screen.tsx';
import { type FieldProps, FileField } from '../parts/field.tsx';
import { texts } from '../texts/texts.ts';

const { forms: words } = texts;

const side = 64;

/** @throws the browser cannot read the file as a picture */
async function smallPng(file: File): Promise<string> {
  const picture = await createImageBitmap(file);
  const canvas = document.createElement('canvas');
  canvas.width = side;
  canvas.height = side;
  const scale = Math.min(side / picture.width, side / picture.height);
  const [width, height] = [picture.width * scale, picture.height * scale];
  canvas.getContext('2d')?.drawImage(picture, (side - width) / 2, (side - height) / 2, width, height);
  return canvas.toDataURL('image/png');
}

export function PictureField({
  id,
  label,
  hint,
  problem = null,
  value,
  set,
  isReadOnly,
}: FieldProps & {
  /** A data URI; empty: none. */
  readonly value: string;
  readonly set: (uri: string) => void;
  readonly isReadOnly: boolean;
}) {
  const [fault, setFault] = useState<string | null>(null);
  const choose = (file: File | undefined) => {
    if (file === undefined) return;
    smallPng(file).then(
      (uri) => {
        setFault(null);
        set(uri);
      },
      () => {
        setFault(words.noPicture);
        announce(words.noPicture);
      },
    );
  };
  return (
    <>
      <FileField
        {...{ id, label, hint, choose }}
        problem={fault ?? problem}
        accept="image/*"
        isDisabled={isReadOnly}
      />
      {value !== '' && (
        <p className="buttons">
          <img className="app-logo" id={`${id}-preview`} src={value} alt={label} />
          {!isReadOnly && <Button onClick={() => set('')}>{words.removePicture}</Button>}
        </p>
      )}
    </>
  );
}
