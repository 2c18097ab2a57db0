// What the package adds in browsers.

export {
  type BrowserSession,
  type BrowserSessionOptions,
  openBrowserSession,
  type PageStart,
  type SignInOptions,
  StorageDenied,
  WindowBlocked,
} from './browser-session.ts';
export { type TabStore, type TabStoreOptions, tabTokenStore } from './tab-store.ts';
