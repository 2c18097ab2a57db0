import type { DeviceLogin } from '../../model/device-login.ts';
import type { DeviceLoginStore } from '../contracts/device-logins.ts';
import { insertOr, integer, reader } from './codec.ts';
import { concern } from './concern.ts';
import { affects, first } from './intent.ts';

export const deviceLogins = concern<DeviceLoginStore>()({
  writes: {
    *begin(login, most) {
      const sql = 'SELECT count(*) AS live FROM device_logins WHERE expires_at > ?';
      const live = yield* first(sql, login.createdAt);
      if (live !== undefined && integer(live, 'live') >= most) return 'full';
      const end = 'ON CONFLICT (user_code_hash) DO NOTHING RETURNING id';
      const begun = yield* insertOr('device_logins', { ...login, state: 'waiting' }, end);
      return begun === undefined ? 'taken' : 'begun';
    },
    settle(id, sealedCode, now) {
      return affects`UPDATE device_logins SET state = ${sealedCode === null ? 'denied' : 'approved'},
         sealed_code = ${sealedCode} WHERE id = ${id} AND state = 'waiting' AND expires_at > ${now}
         RETURNING id`;
    },
  },
  methods: ({ find }) => ({
    find: (id) => find(deviceLoginOf, 'SELECT * FROM device_logins WHERE id = ?', id),
    findWaiting(by, now) {
      const [column, value] =
        'userCodeHash' in by ? ['user_code_hash', by.userCodeHash] : ['code_challenge', by.codeChallenge];
      const sql = `SELECT * FROM device_logins WHERE ${column} = ? AND state = 'waiting' AND expires_at > ?`;
      return find(deviceLoginOf, sql, value, now);
    },
  }),
});

const deviceLoginOf = reader<DeviceLogin>()(
  'id codeChallenge clientId scopes:json droppedScopes:json issuer ipAddress createdAt expiresAt state sealedCode?',
);
