// What the package adds on Node.

export { type HttpsTransport, type HttpsTransportOptions, httpsTransport } from './https-transport.ts';
