import { issuerOf } from '../../config/addresses.ts';
import { configPath, loadConfigFile } from '../host/load-config.ts';
import type { CliPorts } from '../ports.ts';

const usualUrl = 'https://localhost:1280';

/** The address to suggest if none was named: that of the controller set up here, otherwise the usual one. */
export function suggestedServer(ports: Pick<CliPorts, 'cwd' | 'env'>): string {
  try {
    const { config } = loadConfigFile(ports, configPath(ports, undefined));
    return new URL(issuerOf(config.edge.api.address)).origin;
  } catch {
    // None is set up here, or another user did it.
    return usualUrl;
  }
}
