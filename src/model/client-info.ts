// A client's description of itself at a login. None of it is proven, and no decision depends on it.

/** The machine. Members that the client omitted are missing. */
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

/** The name that a browser or program gives itself, so that people recognize it; null where it gives none. */
export interface ClientProgram {
  /** Such as `Firefox` or `curl 8.5`. */
  readonly program: string | null;
  /** Such as `Linux`. */
  readonly operatingSystem: string | null;
}

/** The place of a login, and the program. */
export interface LoginPlace extends ClientProgram {
  readonly ipAddress: string;
}

/**
 * The program that uses a session: the one that redeems the code, if it runs beside the person and has a name. An SDK
 * that introduced itself at the login comes first. For the server of a web application it is the browser.
 * @param redeemer null for a server
 */
export function programOfSession(
  place: LoginPlace | undefined,
  clientInfo: ClientInfo | undefined,
  redeemer: ClientProgram | null,
): ClientProgram {
  const login = place ?? { program: null, operatingSystem: null };
  const { appId, type } = clientInfo?.sdkInfo ?? {};
  if (redeemer === null || redeemer.program === null || appId !== undefined || type !== undefined)
    return { program: login.program, operatingSystem: login.operatingSystem };
  const operatingSystem = redeemer.operatingSystem ?? login.operatingSystem;
  return { program: redeemer.program, operatingSystem };
}

/** The name of a program as `ClientProgram` has it, which an update of the program does not change. */
export function withoutVersion(program: string | null): string | null {
  return program?.replace(/ \d{1,9}(?:\.\d{1,9})?$/, '') ?? null;
}

/** Of a client that says nothing. */
export const noClientInfo: ClientInfo = { envInfo: {}, sdkInfo: {} };
