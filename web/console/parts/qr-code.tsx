import { useEffect, useState } from 'react';

interface Drawing {
  readonly text: string;
  readonly size: number;
  readonly path: string;
}

/**
 * Drawn here, so that its content is in no address. The white margin is part of it, in dark mode too (ISO/IEC 18004).
 */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [drawing, setDrawing] = useState<Drawing | null>(null);
  useEffect(() => {
    let isWanted = true;
    drawn(text).then((made) => isWanted && setDrawing(made));
    return () => {
      isWanted = false;
    };
  }, [text]);
  if (drawing === null || drawing.text !== text) return null;
  const { size, path } = drawing;
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

async function drawn(text: string): Promise<Drawing> {
  const { encode } = await import('uqr');
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const modules = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { text, size, path: modules.join('') };
}
