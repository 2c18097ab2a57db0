import { resolve } from 'node:path';
import { issuerOf } from '../../../config/addresses.ts';
import { loadConfig } from '../../../config/load.ts';
import { textOfFile } from '../../../platform/formats/strict-input.ts';
import { readBytes } from '../../../platform/read-file.ts';
import { type CliPorts, homeFolder } from '../../terminal/ports.ts';

const usualUrl = 'https://localhost:1280';

/** The address to suggest if none was named: that of the controller set up here, otherwise the usual one. */
export function suggestedServer(ports: Pick<CliPorts, 'cwd' | 'env'>): string {
  try {
    const file = resolve(ports.cwd, homeFolder(ports), 'controller.yml');
    const readFile = (path: string) => textOfFile(readBytes(path));
    const { config } = loadConfig(file, { readFile, env: ports.env });
    return new URL(issuerOf(config.edge.api.address)).origin;
  } catch {
    // None is set up here, or another user did it.
    return usualUrl;
  }
}
