import { type ReactNode, useEffect, useRef } from 'react';
import { Brand, serviceName } from './brand.tsx';

/** A page with a single message, and the focus on its heading. */
export function Alone({
  title,
  windowTitle = title,
  describedBy,
  children,
}: {
  title: string;
  windowTitle?: string;
  describedBy?: string | undefined;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${windowTitle} · ${serviceName}`;
    heading.current?.focus();
  }, [windowTitle]);
  return (
    <div className="alone">
      <header>
        <Brand />
      </header>
      <main>
        <h1 ref={heading} tabIndex={-1} aria-describedby={describedBy}>
          {title}
        </h1>
        {children}
      </main>
    </div>
  );
}
