// What the package adds on Node.

export { fileTokenStore } from './file-token-store.ts';
export { type HttpsTransport, type HttpsTransportOptions, httpsTransport } from './https-transport.ts';
export { type LoopbackLoginOptions, loopbackLogin } from './loopback-login.ts';
