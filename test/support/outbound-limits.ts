import type { JwksFetchConfig } from '../../src/config/config.ts';

/** Every address may be asked, without a proxy. */
export const noLimits: JwksFetchConfig = {
  timeout: 5000,
  maxRedirects: 5,
  blockPrivateAddresses: false,
  allowedHostnames: [],
  deniedHostnames: [],
  additionalHostnames: [],
  allowedIPs: [],
  deniedIPs: [],
  trustedRoots: [],
  proxy: null,
  noProxy: [],
};
