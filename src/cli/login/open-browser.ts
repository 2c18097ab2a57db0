import { spawn } from 'node:child_process';
import type { CliPorts } from '../ports.ts';

/** Opens an address in the person's browser. Returns whether something was started that may do so. */
export async function openBrowser(ports: Pick<CliPorts, 'env' | 'platform'>, url: string): Promise<boolean> {
  const opener = openerOf(ports);
  if (opener === undefined) return false;
  const [command = '', ...words] = opener;
  const child = spawn(command, [...words, url], { stdio: 'ignore', detached: true, windowsHide: true });
  return new Promise((fulfil) => {
    child.once('error', () => fulfil(false));
    child.once('spawn', () => {
      child.unref();
      fulfil(true);
    });
  });
}

function openerOf({ env, platform }: Pick<CliPorts, 'env' | 'platform'>): readonly string[] | undefined {
  // A single program; the convention's lists and placeholders are not supported.
  if (env.BROWSER) return [env.BROWSER];
  if (platform === 'darwin') return ['open'];
  // Not `start`, whose shell would read the & in the address.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const hasDisplay = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return hasDisplay ? ['xdg-open'] : undefined;
}
