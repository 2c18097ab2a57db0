import type { Millis } from '../platform/clock.ts';
import type { ClientProgram } from './client-info.ts';
import type { IdentityId } from './ids.ts';
import type { LanguageTag } from './languages.ts';

/**
 * Notices to a person: changes of credentials, and of the address for mails; a login
 * with a new program, at most three times an hour.
 */
export const noticeKinds = [
  'password-changed',
  'password-removed',
  'totp-added',
  'totp-removed',
  'passkey-added',
  'passkey-removed',
  'certificate-added',
  'certificate-removed',
  'email-changed',
  'new-program',
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** The configuration of mails, as far as rules depend on it. */
export interface Mailing {
  /** Of mails to people whose language is not known. */
  readonly language: LanguageTag;
  readonly passwordReset: {
    readonly allowed: boolean;
    /** Also for identities that administer or have a permission. */
    readonly administrators: boolean;
    readonly lifetime: Millis;
  };
}

/** The subject matter of a mail. It holds no secret: links are made when it is sent. */
export type MailMatter =
  /** `nonce`: with a server secret it gives the token of the link, the same at each attempt. */
  | { readonly kind: 'invitation'; readonly nonce: string }
  /** Asked for by the person, or by a stranger who typed their name. */
  | { readonly kind: 'reset'; readonly askedAt: Millis }
  | {
      readonly kind: 'notice';
      readonly notice: NoticeKind;
      readonly at: Millis;
      /** Where the request of the person came from; null: an administrator, or the service itself, did it. */
      readonly ipAddress: string | null;
      /** Of a login with a new one: its own words. */
      readonly program?: ClientProgram;
    };

/** The subscriber of all mails. */
export const mailServer = 'smtp';

/** A mail that is to be sent. */
export interface QueuedMail {
  readonly identityId: IdentityId;
  /** The address when it was queued. Links are sent only while it is still that of the identity. */
  readonly to: string;
  readonly language: LanguageTag;
  /** Of the bind point at which it was asked for: its links lead there. Of a notice without a request: empty. */
  readonly issuer: string;
  readonly matter: MailMatter;
}

/** A notice about the account of an identity. It goes to the verified address of the identity, if any. */
export interface QueuedNotice {
  /** The same for all of one kind, identity and hour: only the first few of them are sent. */
  readonly id: string;
  readonly mail: Omit<QueuedMail, 'to' | 'matter'> & {
    readonly matter: Extract<MailMatter, { readonly kind: 'notice' }>;
  };
  /** Null: it goes to the address that there is now. */
  readonly former: FormerAddress | null;
}

/** An address at which a person is not reached any more. Missing members are as they are now. */
export interface FormerAddress {
  readonly email?: string;
  readonly isVerified?: boolean;
}

/** A request for a new password, by a person or a stranger. */
export interface QueuedReset {
  /** The typed name, sealed: people type passwords into the wrong field. */
  readonly sealedName: string;
  readonly language: LanguageTag;
  readonly issuer: string;
  /** For the decision record. */
  readonly requestId: string;
  readonly ipAddress: string;
}
