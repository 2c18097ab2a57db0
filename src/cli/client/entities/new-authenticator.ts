import { usageError } from '../../terminal/output.ts';
import type { AfterCreate } from './descriptor.ts';

/** `create authenticator`: each method needs something different, which is checked before asking for a password. */
export const newAuthenticator: AfterCreate = {
  async prepare(_report, _options, body) {
    if (body.method === 'cert' && body.certPem === undefined)
      throw usageError('A certificate authenticator needs its certificate: --cert FILE.');
    if (body.method === 'cert' && body.username !== undefined)
      throw usageError('A certificate has no user name.');
    if (body.method === 'updb' && body.username === undefined)
      throw usageError('A password needs the user name that it belongs to.');
    if (body.method === 'updb' && body.certPem !== undefined)
      throw usageError('--cert belongs to the method cert.');
    return undefined;
  },
};
