import { useQuery } from '@tanstack/react-query';
import { Card } from '../../../parts/screen.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { readText } from '../../session/api.ts';
import type { Authority } from '../../types.ts';
import { fileName, HandOver } from '../people/hand-over.tsx';
import { words } from './words.ts';

/** The JWT that leads holders of the CA's certificates here. It is not a secret: the certificate lets them in. */
export function EnrollmentJwt({ ca: { id, name } }: { ca: Authority }) {
  const path = `cas/${encodeURIComponent(id)}/jwt`;
  const query = useQuery({ queryKey: ['text', path], queryFn: ({ signal }) => readText(path, signal) });
  return (
    <Card id="enrollment-jwt" title={words.jwt}>
      <Loaded query={query}>
        {(jwt) => (
          <HandOver
            says={words.jwtText}
            text={jwt}
            file={{ name: fileName(name, 'jwt'), type: 'application/jwt' }}
          />
        )}
      </Loaded>
    </Card>
  );
}
