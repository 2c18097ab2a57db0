// The configuration as the rest of the service sees it: every default is resolved, every path is absolute, every
// duration is Millis. What each setting is stands in settings.ts, edge-settings.ts and listener-settings.ts.
import type { resolveConfig } from './resolve.ts';

type Frozen<T> = T extends readonly (infer Entry)[]
  ? readonly Frozen<Entry>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

/** The effective configuration; deeply frozen. */
export type Config = Frozen<ReturnType<typeof resolveConfig>['config']>;

export type Listener = Config['listeners'][number];
export type BindPoint = Listener['bindPoints'][number];
export type ListenerApi = Listener['apis'][number];
export type Binding = ListenerApi['binding'];
/** Limits of outbound requests for signer keys. Link-local and metadata addresses are always refused. */
export type JwksFetchConfig = Config['edge']['externalJwtSigners']['jwksFetch'];
/** How the pages for people look. */
export type BrandingConfig = Config['branding'];
/** Mails to people. */
export type MailConfig = NonNullable<Config['mail']>;
/** Traces and metrics for an OTLP collector. */
export type TelemetryConfig = NonNullable<Config['telemetry']>;
export type LogConfig = Config['log'];
