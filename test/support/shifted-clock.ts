// Loaded into a controller before anything else. Shifts its wall clock by as many Millis as a file says, which the
// environment names, and follows changes of the file: as when an administrator sets the clock of one machine.

import { readFileSync } from 'node:fs';

const file = process.env.OVERLAY_AUTH_TEST_CLOCK;
if (file !== undefined) {
  const trueNow = Date.now;
  let shift = 0;
  const read = () => {
    const found = Number(readFileSync(file, 'utf8'));
    if (Number.isFinite(found)) shift = found;
  };
  read();
  Date.now = () => trueNow() + shift;
  setInterval(read, 20).unref();
}
