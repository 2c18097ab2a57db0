import { type ButtonHTMLAttributes, type ReactNode, useEffect, useRef } from 'react';
import { serviceName } from './brand.tsx';

/** The heading of a screen. Following a link moves the focus to it, and the window's title changes with it. */
export function Screen({
  title,
  lead,
  tools,
  children,
}: {
  title: string;
  lead?: ReactNode;
  tools?: ReactNode;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${serviceName}`;
  }, [title]);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <div className="heading">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {tools}
      </div>
      {lead !== undefined && <p className="lead">{lead}</p>}
      {children}
    </>
  );
}

/** A part of a screen with its own heading. */
export function Card({
  id,
  title,
  children,
  tools,
}: {
  id: string;
  title: string;
  children: ReactNode;
  tools?: ReactNode;
}) {
  return (
    <section className="card" aria-labelledby={id}>
      <div className="heading">
        <h2 id={id}>{title}</h2>
        {tools}
      </div>
      {children}
    </section>
  );
}

/** Terms and their values. Null values are omitted. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode] | null)[] }) {
  return (
    <dl>
      {facts
        .filter((fact) => fact !== null)
        .map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A short state. Its words carry the meaning; the colour only repeats it. */
export function Badge({
  kind = 'plain',
  children,
}: {
  kind?: 'good' | 'bad' | 'plain';
  children: ReactNode;
}) {
  return <span className={`badge ${kind}`}>{children}</span>;
}

/** An empty place, which names the missing contents and how to get them. */
export function Empty({ title, text, children }: { title: string; text?: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  );
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** The main button of a page, a destructive one, or any other. */
  readonly kind?: 'main' | 'danger' | 'plain' | 'link';
  /** In progress: a second press does nothing. */
  readonly isBusy?: boolean;
}

/** A disabled one keeps the focus, and Enter in a field does not press it. */
export function Button({ kind = 'plain', isBusy = false, disabled = false, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={`button ${kind}`}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || disabled || undefined}
      onClick={(event) => {
        if (isBusy || disabled) event.preventDefault();
        else onClick?.(event);
      }}
      {...rest}
    />
  );
}
