import * as z from 'zod';
import { languageTags } from '../model/languages.ts';
import { HOUR, MINUTE, SECOND } from '../platform/clock.ts';
import { isPlainLoopback } from '../platform/network/address-rules.ts';
import { readableShade, textOn } from './colors.ts';
import { edgeSchema } from './edge-settings.ts';
import { identitySchema, listenerSchema } from './listener-settings.ts';
import { isLoopbackHost } from './redirect-uris.ts';
import { atRestart, fitting, orNone, says, section, seenAs } from './setting.ts';
import * as kind from './value-kinds.ts';

// Every setting of the file, in its order; those of `web` and `edge` are in files of their own. Every map is strict.
// Rules about one value are here; rules between values of different sections are in consistency.ts.

const defaultColors = { light: '#1f5fd0', dark: '#8ab4ff' };

const brandingSchema = seenAs(
  z.strictObject({
    name: says`The operator's name on the login pages. Default: Overlay.`(orNone(kind.oneLine('name', 60)), {
      example: 'Example',
    }),
    logo: says`SVG or PNG file of at most 64 KiB, shown in place of the name.`(orNone(kind.filePath), {
      example: 'logo.svg',
    }),
    logoDark: says`The same for the dark theme. Default: logo.`(orNone(kind.filePath), {
      example: 'logo-dark.svg',
    }),
    color: says`Colour of links and buttons, #rrggbb; readable on white. Default: #1f5fd0.`(
      kind.color('light').optional(),
      { example: defaultColors.light },
    ),
    colorDark: says`The same on dark ground. Default: color, as much lighter as it has to be.`(
      kind.color('dark').optional(),
      { example: defaultColors.dark },
    ),
    help: says`Help for people who cannot sign in, shown on the login pages. Default: none.`(
      orNone(
        z.strictObject({
          text: says`Your words, as they are in every language.`(kind.oneLine('text', 200), {
            example: 'Forgotten your password?',
          }),
          url: says`Where the text leads: https, mailto or tel. Default: nowhere.`(orNone(kind.linkUrl), {
            example: 'https://help.example.com',
          }),
        }),
      ),
    ),
  }),
  {
    /** `on`: the colour of text on a button of the colour `accent`. */
    decode({ logo, logoDark, color: given, colorDark, ...branding }) {
      const light = given ?? defaultColors.light;
      const dark = colorDark ?? (given === undefined ? defaultColors.dark : readableShade(given, 'dark'));
      const colors = {
        light: { accent: light, on: textOn(light) },
        dark: { accent: dark, on: textOn(dark) },
      };
      return { ...branding, logoFile: logo, logoDarkFile: logoDark, colors };
    },
    encode: ({ logoFile, logoDarkFile, colors, ...branding }) => ({
      ...branding,
      logo: logoFile,
      logoDark: logoDarkFile,
      color: colors.light.accent,
      colorDark: colors.dark.accent,
    }),
  },
);

const telemetrySchema = fitting(
  z.strictObject({
    endpoint:
      says`URL of an OTLP collector, by HTTP with protobuf; /v1/traces and /v1/metrics are added to it.`(
        kind.collectorUrl,
        { example: 'https://collector.example.com:4318' },
      ),
    headersFile: says`File with a line NAME: VALUE for each header that the collector asks for. A secret.`(
      orNone(kind.filePath),
      { example: 'otlp.headers' },
    ),
    ca: says`PEM file of authorities that are trusted for the collector, besides the system's.`(
      orNone(kind.filePath),
      { example: 'collector-ca.pem' },
    ),
    serviceName: says`The name of the service there: service.name.`(
      z
        .string()
        .regex(/^[\x21-\x7e]{1,100}$/, 'the name has 1 to 100 visible ASCII characters')
        .default('overlay-auth'),
    ),
    traces: section({
      sampling: says`Share of the requests that are traced, from 0 (none) to 1 (all).`(
        z.number().min(0).max(1).default(0.1),
      ),
      callersPerSecond: says`Requests a second that are traced besides, because their caller traces them.`(
        z.int().min(0).max(10_000).default(1),
      ),
    }),
    metrics: section({
      interval: says`How often the metrics are sent; 0s: never.`(
        kind
          .duration({ min: 0, max: 24 * HOUR })
          .refine((millis) => millis === 0 || millis >= SECOND, 'the least is 1s; 0s sends no metrics')
          .prefault('60s'),
      ),
    }),
  }),
  ({ endpoint, headersFile }, refuse) => {
    if (headersFile !== null && !endpoint.startsWith('https:') && !isPlainLoopback(endpoint))
      refuse('endpoint', 'the headers of headersFile would be sent in the clear; use https');
  },
);

const smtpSchema = fitting(
  z.strictObject({
    host: says`Its name, which its certificate must contain.`(kind.hostName, { example: 'smtp.example.com' }),
    port: says`Default: 587; with tls: implicit 465, with tls: none 25.`(orNone(z.int().min(1).max(65_535)), {
      example: 587,
    }),
    tls: says`required: STARTTLS, without which nothing is sent. implicit: TLS from the first byte. none: in the clear, for a server on this machine.`(
      z.enum(['required', 'implicit', 'none']).default('required'),
    ),
    user: says`Name for logging in there. Default: none, without a login.`(
      orNone(z.string().regex(/^[^\p{C}]{1,256}$/u, 'the name has 1 to 256 visible characters')),
      { example: 'overlay' },
    ),
    passwordFile: says`File with the password of user, in one line. A secret.`(orNone(kind.filePath), {
      example: 'smtp.password',
    }),
    trustedRoots: says`PEM files of authorities that are trusted for it, besides the system's.`(
      z.array(kind.filePath).max(100).prefault([]),
    ),
    timeout: says`For one whole mail, from connecting to the last answer.`(
      kind.duration({ min: SECOND, max: 50 * SECOND }).prefault('30s'),
    ),
  }),
  ({ host, tls, user, passwordFile }, refuse) => {
    const missing = user === null ? 'user' : 'passwordFile';
    if ((user === null) !== (passwordFile === null))
      refuse(missing, 'user and passwordFile belong together; one is missing');
    if (tls === 'none' && user !== null && !isLoopbackHost(host))
      refuse('tls', 'the password would be sent in the clear; use required or implicit');
  },
);

const mailSchema = z.strictObject({
  smtp: says`The server that takes the mails.`(smtpSchema),
  from: says`Sender of the mails: an address, or a name with the address in angle brackets.`(kind.mailbox, {
    example: 'Example <no-reply@example.com>',
  }),
  language: says`en or de: the language of mails to people whose language is not known.`(
    z.enum(languageTags).default('en'),
  ),
  notices:
    says`Whether people are told when a password, an authenticator app, a passkey or a certificate of their account was added, changed or removed, or their email address changed, and of a sign-in with a program that they had not used before. Only at verified addresses, of a changed one at the one before.`(
      z.boolean().default(true),
    ),
  passwordReset: section({
    allowed:
      says`Whether people who have forgotten their password may ask on the login page for a mail with which they choose another. Only to verified addresses.`(
        z.boolean().default(true),
      ),
    administrators:
      says`Whether this is also for identities that administer or have a permission: their mailbox then opens everything.`(
        z.boolean().default(false),
      ),
    lifetime: says`How long the link of such a mail works.`(
      kind.duration({ min: 5 * MINUTE, max: 24 * HOUR }).prefault('30m'),
    ),
  }),
});

export const fileSchema = z
  .strictObject({
    v: atRestart`Version of this file format: 3.`(z.literal(3)),
    db: atRestart`sqlite:FILE for one node, postgres://USER@HOST/NAME for several. The environment variable OVERLAY_AUTH_DB replaces it, which keeps a password out of this file.`(
      kind.dbSchema,
    ),
    threads: atRestart`Threads that answer requests: a number, or as many as the cores allow.`(
      z
        .union([z.literal('auto'), z.int().min(1).max(64)], {
          error: 'the value is auto or a number from 1 to 64',
        })
        .default('auto'),
      { rare: true },
    ),
    secrets: atRestart`Where the key-encryption key is.`(
      z.strictObject({
        keyFile:
          says`File of the key-encryption key. Back it up, but never together with the database: both open everything.`(
            kind.filePath,
          ),
      }),
    ),
    identity: says`Default identity of listeners.`(identitySchema),
    web: says`Listeners.`(z.array(listenerSchema).min(1).max(64), { named: 'name' }),
    node: section({
      name: atRestart`Names this controller among several. Default: host name and port of the machine.`(
        orNone(
          z
            .string()
            .regex(
              /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/,
              'a name has letters, digits, dots, colons, hyphens',
            ),
        ),
        { example: 'ctrl-a' },
      ),
    }),
    edge: says`Present: the OIDC provider is on.`(edgeSchema.optional()),
    branding: says`How the login pages look.`(brandingSchema.prefault({})),
    mail: says`Mails to people: invitations, forgotten passwords, notices. Default: none are sent.`(
      orNone(mailSchema),
    ),
    telemetry: says`Traces and metrics for an OpenTelemetry collector. Default: none.`(
      orNone(telemetrySchema),
    ),
    log: section({
      format: atRestart`Form of the log: text or json.`(z.enum(['text', 'json']).default('text')),
      level: says`The least important lines that are logged: error, warn, info or debug.`(
        z.enum(['error', 'warn', 'info', 'debug']).default('info'),
      ),
    }),
  })
  .meta({ description: 'Configuration of the overlay authentication service.' });

/** The contents of a file, as they are written in it. */
export type GivenSettings = z.input<typeof fileSchema>;
/** The contents of the file, with values parsed and defaults filled in. */
export type FileContent = z.output<typeof fileSchema>;
export type ListenerContent = z.output<typeof listenerSchema>;
