import { readFileSync } from 'node:fs';

/**
 * What runs words as a container does: in the root folder of an image, which is read-only, with its mounts, as its user
 * and process 1, by unshare and chroot. Where this runs, the rights that podman and docker need may be missing.
 * @param mounts folders by the path at which they are mounted
 * @param user   user and group, `10001:10001`
 */
export function insideOf({ folder, mounts, workdir, user, hostname = 'trial' }, words) {
  const prepare = `root=$0 workdir=$1 user=$2 && hostname "$3" && shift 3 && mount --bind "$root" "$root" && 
    while [ "$1" != -- ]; do mkdir -p "$root$1" && mount --bind "$2" "$root$1" && shift 2 || exit 1; done &&
    mount --rbind /dev "$root/dev" && mount -t proc proc "$root/proc" && mount -o remount,bind,ro "$root" && shift &&
    exec setpriv --no-new-privs --bounding-set=-all,+setuid,+setgid,+sys_chroot chroot --userspec="$user" "$root" /usr/bin/env -i "--chdir=$workdir" "$@"`;
  const namespaces = ['--mount', '--propagation', 'private', '--uts', '--pid', '--fork', '--kill-child'];
  return ['unshare', ...namespaces, 'sh', '-c', prepare, folder, workdir, user, hostname, ...Object.entries(mounts).flat(), '--', ...words];
}

/** unshare passes nothing on: its only child is process 1 inside. */
export function signalInside({ pid }, signal) {
  process.kill(Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')), signal);
}

/** `--kill-child` does not reach it: Linux forgets that of a process which changes its user. */
export function killInside(child) {
  if (child.exitCode === null && child.signalCode === null) signalInside(child, 'SIGKILL');
}
