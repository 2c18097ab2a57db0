// A real browser for tests: one process for all files of a group, and a separate context for each visitor.

import { createHash, X509Certificate } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import tls from 'node:tls';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { type Closable, closable } from './closable.ts';
import { atTheEnd } from './group.ts';
import { testPki } from './test-pki.ts';
import { patience } from './until.ts';

export interface VisitorOptions {
  /** False: no page runs any script. True unless given. */
  readonly scripts?: boolean;
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
  /** The language in which the browser requests pages; `en` unless given. */
  readonly language?: string;
  readonly forcedColors?: boolean;
  /** The certificate that the browser presents to `origin`. */
  readonly clientCertificate?: {
    readonly origin: string;
    readonly certPem: string;
    readonly keyPem: string;
  };
}

/** A visitor with their own browser: cookies and everything else start empty. */
export interface Visitor extends Closable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors that the pages wrote to the console, and violations of their content security policy. */
  readonly complaints: readonly string[];
}

export const wide = { width: 1280, height: 800 } as const;
/** WCAG 1.4.10: 320 CSS pixels, which is also 1280 at 400 % zoom. */
export const narrow = { width: 320, height: 568 } as const;
/** A window of 1280 by 1024 at 400 % zoom. */
export const zoomed = { width: 320, height: 256 } as const;

let running: Promise<Browser> | undefined;

/** A context that a visitor has left. Its process knows the fonts and has compiled the scripts: a new one takes longer. */
interface Free {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Who may have it. */
  readonly options: string;
}
const free: Free[] = [];
const mostFree = 6;

/** A new visitor. The caller closes it, or has it closed by `await using`. */
export async function visitor(options: VisitorOptions = {}): Promise<Visitor> {
  if (running === undefined) {
    running = launch();
    atTheEnd(async () => (await running)?.close());
  }
  const { context, page } = takeFree(options) ?? (await begin(await running, options));
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return closable<Visitor>({ context, page, complaints, close: () => leave(context, options) });
}

async function begin(browser: Browser, options: VisitorOptions): Promise<Pick<Visitor, 'context' | 'page'>> {
  const { clientCertificate } = options;
  const context = await browser.newContext({
    javaScriptEnabled: options.scripts ?? true,
    colorScheme: options.colorScheme ?? 'light',
    viewport: options.viewport ?? wide,
    locale: options.language ?? 'en',
    forcedColors: options.forcedColors === true ? 'active' : 'none',
    // What is fading has too little contrast to be judged.
    reducedMotion: 'reduce',
    ...(clientCertificate && {
      clientCertificates: [
        {
          origin: clientCertificate.origin,
          cert: Buffer.from(clientCertificate.certPem),
          key: Buffer.from(clientCertificate.keyPem),
        },
      ],
    }),
  });
  context.setDefaultTimeout(patience);
  return { context, page: await context.newPage() };
}

function takeFree(options: VisitorOptions): Free | undefined {
  const wanted = JSON.stringify(options);
  const at = free.findIndex(({ options }) => options === wanted);
  return at === -1 ? undefined : free.splice(at, 1)[0];
}

/** Closes all pages of a visitor, removes what they left, and keeps the context for the next visitor who wants the same. */
async function leave(context: BrowserContext, options: VisitorOptions): Promise<void> {
  // Where a file runs alone, the browser is closed before the hooks of that file run.
  if (context.browser()?.isConnected() !== true) return;
  if (options.clientCertificate !== undefined) return context.close();
  const pages = context.pages();
  // Without a page, the process would end.
  const page = await context.newPage();
  await Promise.all(pages.map((one) => one.close()));
  await Promise.all([
    context.unrouteAll(),
    context.clearCookies(),
    context.clearPermissions(),
    context.setOffline(false),
  ]);
  const session = await context.newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' });
  await session.send('Network.clearBrowserCache');
  await session.detach();
  free.push({ context, page, options: JSON.stringify(options) });
  if (free.length > mostFree) await free.shift()?.context.close();
}

/**
 * Each page that leads to another site would otherwise cost a process of its own, and pages live too briefly for their
 * scripts to be worth optimizing. What pages may do to each other stays the same: that is decided by origin.
 */
const oneRenderer = [
  '--disable-site-isolation-trials',
  '--process-per-site',
  '--renderer-process-limit=1',
  '--js-flags=--no-opt',
];

/** The browser trusts the test server's certificate by its key, and no other unknown one. */
async function launch(): Promise<Browser> {
  const pki = await testPki();
  const key = new X509Certificate(pki.server.certPem).publicKey.export({ type: 'spki', format: 'der' });
  const keyHash = createHash('sha256').update(key).digest('base64');
  // With a client certificate, playwright makes the connection in this process.
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), pki.ca.certPem]);
  return launchChromium([
    '--in-process-gpu',
    '--font-render-hinting=none',
    ...oneRenderer,
    `--ignore-certificate-errors-spki-list=${keyHash}`,
  ]);
}

/** The folder for pictures, if any are wanted. */
const pictures = process.env.OVERLAY_AUTH_SCREENSHOTS;

/** Whether this run takes pictures, and so need not test anything twice. */
export const takesPictures = pictures !== undefined && pictures !== '';

/** Writes `NAME.png` of the whole page into the folder of `OVERLAY_AUTH_SCREENSHOTS`; does nothing in other runs. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (pictures === undefined || pictures === '') return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true, animations: 'disabled' });
}
