// Events as messages over HTTP. Webhooks are as Standard Webhooks says (https://www.standardwebhooks.com): the receiver
// knows by the signature that the message is from here, and by its id whether it has had it before. A collector of
// OpenTelemetry gets log records (OTLP/HTTP, JSON).

import { createHmac } from 'node:crypto';
import type { EventKind, SentDelivery } from '../model/delivery.ts';
import type { EventSubscription } from '../model/entities/event-subscription.ts';
import { isoTime, type Millis, SECOND } from '../platform/clock.ts';
import type { OutboundMessage } from '../platform/network/outbound-exchange.ts';
import type { Random } from '../platform/random.ts';
import type { SubscriptionSecrets } from './subscription-secrets.ts';

/** @see Standard Webhooks, "Signature scheme" */
export function newSigningSecret(random: Pick<Random, 'bytes'>): string {
  return `whsec_${random.bytes(32).toString('base64')}`;
}

/** The secrets that a webhook is signed with now, the newest first. */
export function signingSecrets(
  secrets: SubscriptionSecrets,
  { formerSecretUntil }: Pick<EventSubscription, 'formerSecretUntil'>,
  now: Millis,
): readonly string[] {
  const isFormerValid = formerSecretUntil !== null && now < formerSecretUntil;
  const all = [secrets.signing, isFormerValid ? secrets.formerSigning : undefined];
  return all.filter((secret) => secret !== undefined);
}

/**
 * @param secrets as `signingSecrets` returns them; each signs
 * @param now     of this attempt, which receivers compare with their clock
 */
export function webhookMessage(
  { id, payload: { type, at, data } }: SentDelivery<EventKind>,
  secrets: readonly string[],
  now: Millis,
): OutboundMessage {
  const body = JSON.stringify({ type, timestamp: isoTime(at), data });
  const timestamp = String(Math.floor(now / SECOND));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    contentType: 'application/json',
    body,
    headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') },
  };
}

const scope = { name: 'overlay-auth' };
const resource = { attributes: [attribute('service.name', 'overlay-auth')] };
/** INFO and WARN of the data model of logs. */
const severities = { info: 9, warn: 13 } as const;

/** @see https://opentelemetry.io/docs/specs/otlp/#otlphttp-request */
export function otlpMessage(deliveries: readonly SentDelivery<EventKind>[], now: Millis): OutboundMessage {
  const logRecords = deliveries.map(({ payload: { type, at, data } }) => {
    const severity = type.endsWith('.refused') ? 'warn' : 'info';
    const texts = Object.entries(data).flatMap(([name, value]) =>
      typeof value === 'string' && name !== 'at' && name !== 'event' ? [attribute(name, value)] : [],
    );
    return {
      timeUnixNano: nanoseconds(at),
      observedTimeUnixNano: nanoseconds(now),
      severityNumber: severities[severity],
      severityText: severity.toUpperCase(),
      eventName: type,
      body: { stringValue: JSON.stringify(data) },
      attributes: [attribute('event.name', type), ...texts],
    };
  });
  const body = JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords }] }] });
  return { contentType: 'application/json', body };
}

function attribute(key: string, stringValue: string) {
  return { key, value: { stringValue } };
}

function nanoseconds(at: Millis): string {
  return `${at}000000`;
}
