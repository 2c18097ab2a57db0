import { z } from 'zod';

/** A TOTP or recovery code in a body or header; what it looks like otherwise is for the rule to judge. */
export const totpCode = z.string().max(64);
