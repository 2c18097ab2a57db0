import type { ButtonHTMLAttributes } from 'react';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** The main button of a page, a destructive one, or any other. */
  readonly kind?: 'main' | 'danger' | 'plain' | 'link';
  /** In progress: a second press does nothing. */
  readonly isBusy?: boolean;
}

export function Button({ kind = 'plain', isBusy = false, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={`button ${kind}`}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || undefined}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onClick?.(event);
      }}
      {...rest}
    />
  );
}
