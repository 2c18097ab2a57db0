// What clients say about themselves when they log in. Nothing of it is proven, and nothing is decided by it.

/** The machine. Members that the client left out are missing. */
export interface EnvInfo {
  readonly arch?: string;
  readonly os?: string;
  readonly osRelease?: string;
  readonly osVersion?: string;
  readonly domain?: string;
  readonly hostname?: string;
}

/** The program. */
export interface SdkInfo {
  readonly appId?: string;
  readonly appVersion?: string;
  readonly branch?: string;
  readonly revision?: string;
  readonly type?: string;
  readonly version?: string;
}

export interface ClientInfo {
  readonly envInfo: EnvInfo;
  readonly sdkInfo: SdkInfo;
}

/** Of a client that says nothing. */
export const noClientInfo: ClientInfo = { envInfo: {}, sdkInfo: {} };
