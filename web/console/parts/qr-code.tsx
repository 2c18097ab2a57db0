import { useQuery } from '@tanstack/react-query';

/**
 * Drawn here, so that its content is in no address. The white margin is part of it, in dark mode too (ISO/IEC 18004).
 */
export function QrCode({ text, label }: { text: string; label: string }) {
  // A secret is not kept for later.
  const drawing = useQuery({ queryKey: ['qr code', text], queryFn: () => drawn(text), gcTime: 0 });
  if (drawing.data === undefined) return null;
  const { size, path } = drawing.data;
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

async function drawn(text: string) {
  const { encode } = await import('uqr');
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const modules = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { size, path: modules.join('') };
}
