import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import { type ApiSessionId, asId } from '../../model/ids.ts';
import type { IdentityStore } from '../../store/contracts/identities.ts';
import { envelope } from '../request/answer.ts';
import { dataAnswer } from '../request/declared-answers.ts';
import { idText } from '../request/fields.ts';
import { type Route, route } from '../request/route.ts';

export interface HeartbeatNeeds {
  readonly store: { readonly identities: IdentityStore };
  /** @returns how many of them are alive */
  keepAlive(ids: readonly ApiSessionId[]): Promise<number>;
}

const heartbeat = z.object({ ids: z.array(idText).max(1000) });

/**
 * A router reports the legacy sessions whose connections it keeps, which resets their timeout (spec 5.6). Only an
 * identity of type `Router` that logged in with its certificate may do this.
 */
export function heartbeatRoute(needs: HeartbeatNeeds, root: string): Route {
  return route({
    methods: ['POST'],
    path: `${root}/api-sessions/heartbeats`,
    api: 'edge-management',
    guard: 'full',
    errors: 'edge',
    summary: 'Report the sessions whose router connections are kept',
    answers: { 200: dataAnswer(z.strictObject({ alive: z.int() }), 'How many of them are alive') },
    refusals: ['forbidden'],
    body: { json: true, form: false, schema: heartbeat },
    async handler({ principal }, { body }) {
      const identity = await needs.store.identities.find(principal.identityId);
      if (identity?.type !== 'Router' || !principal.passed.includes('cert')) throw new AuthError('forbidden');
      const alive = await needs.keepAlive(body.ids.map((id) => asId<ApiSessionId>(id)));
      return envelope({ alive });
    },
  });
}
