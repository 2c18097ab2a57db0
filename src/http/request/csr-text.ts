import { z } from 'zod';
import { longestCertificateRequest } from '../../platform/x509/certificate-request.ts';

/** A certificate signing request in a body, PEM. */
export const csrText = z.string().max(longestCertificateRequest);
