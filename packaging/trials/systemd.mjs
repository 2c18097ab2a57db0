import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeRoot, need, needRoot, root, run, Skipped, say } from './running.mjs';

const longestBoot = '600';

/** What an operator does, by a systemd that has booted. Its last lines say what came of it. */
const script = `#!/bin/sh
exec > /root/said 2>&1
set -x
dpkg -i /root/package.deb && overlay-auth-setup --address localhost:1280 && systemctl enable --now overlay-auth
config=/var/lib/overlay-auth/controller.yml
is_ready() {
  for second in $(seq 60); do
    runuser -u overlay-auth -- overlay-auth status --ready --config $config && return
    sleep 1
  done
  return 1
}
is_ready && echo 'yes: ready' >> /root/result
systemctl reload overlay-auth && echo 'yes: reloaded' >> /root/result
sed -i 's/^v: 3/v: 9/' $config
systemctl reload overlay-auth || echo 'yes: refused a broken file' >> /root/result
sed -i 's/^v: 9/v: 3/' $config
kill -9 "$(systemctl show -p MainPID --value overlay-auth)"
sleep 5
is_ready && systemctl show -p NRestarts overlay-auth | grep -q =1 && echo 'yes: started again after a kill' >> /root/result
systemctl stop overlay-auth && systemctl show -p Result overlay-auth | grep -q =success && echo 'yes: stopped' >> /root/result
journalctl --unit overlay-auth --no-pager | tail -20
systemctl poweroff
`;

const trial = `[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/root/trial
[Install]
WantedBy=multi-user.target
`;

/** The Debian package under a systemd of its own: the whole unit, with all that it denies. */
export function trySystemd(work) {
  need('systemd-nspawn', 'apt-get install systemd-container');
  need('debootstrap', 'apt-get install debootstrap');
  needRoot('a system of its own');
  say('building');
  run([process.execPath, join(root, 'scripts', 'build-deb.mjs'), work]);
  const clean = join(work, 'system');
  makeRoot(clean, ['systemd', 'systemd-sysv', 'dbus', 'adduser', 'libatomic1']);
  const inRoot = (name) => join(clean, 'root', name);
  copyFileSync(join(work, readdirSync(work).find((name) => name.endsWith('.deb'))), inRoot('package.deb'));
  writeFileSync(inRoot('trial'), script);
  chmodSync(inRoot('trial'), 0o755);
  writeFileSync(join(clean, 'etc/systemd/system/trial.service'), trial);
  run(['systemctl', '--root', clean, 'enable', 'trial.service']);
  say('booting a systemd, installing, running');
  const boot = ['timeout', longestBoot, 'systemd-nspawn', '--register=no', '--keep-unit', '--directory', clean, '--boot'];
  const booted = run(boot, { mayFail: true });
  if (!existsSync(inRoot('said'))) throw new Skipped(`no systemd boots here: ${booted.text.slice(-200)}`);
  const came = existsSync(inRoot('result')) ? readFileSync(inRoot('result'), 'utf8').trim().split('\n') : [];
  const steps = script.match(/(?<=echo ')yes: [^']+/g);
  const missing = steps.filter((step) => !came.includes(step));
  if (missing.length > 0) {
    throw new Error(`not ${missing.join(', not ')}: ${readFileSync(inRoot('said'), 'utf8').slice(-1500)}`);
  }
  return came.map((step) => step.slice('yes: '.length)).join(', ');
}
