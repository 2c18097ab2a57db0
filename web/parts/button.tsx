import type { ButtonHTMLAttributes } from 'react';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** What there is one of on a page; what destroys; everything else. */
  readonly kind?: 'main' | 'danger' | 'plain' | 'link';
  /** Under way: a second press does nothing. */
  readonly isBusy?: boolean;
}

export function Button({ kind = 'plain', isBusy = false, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={`button ${kind}`}
      aria-busy={isBusy || undefined}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onClick?.(event);
      }}
      {...rest}
    />
  );
}
