import {
  type Challenge,
  type ChallengeError,
  primaryExtJwtChallenge,
  secondaryExtJwtChallenge,
} from '../../errors/challenge.ts';
import type { ExternalJwtSigner } from '../../model/external-jwt-signer.ts';
import type { SignerId } from '../../model/ids.ts';
import type { SignerDirectory } from './signer-directory.ts';

/** Characters of ids and issuers in one challenge. Clients refuse answers whose headers are too long. */
const longestList = 4096;

/** Says which signers would do for a primary login: the enabled ones, as many as a header has room for. */
export function primaryChallenge(signers: SignerDirectory, error: ChallengeError): Challenge {
  const named: ExternalJwtSigner[] = [];
  let length = 0;
  for (const signer of signers.all()) {
    if (!signer.enabled) continue;
    length += signer.id.length + signer.issuer.length;
    if (length > longestList) break;
    named.push(signer);
  }
  return primaryExtJwtChallenge(error, named);
}

/** Says which signer's token is lacking besides the primary proof. */
export function secondaryChallenge(signers: SignerDirectory, id: SignerId, error: ChallengeError): Challenge {
  const signer = signers.find(id);
  return secondaryExtJwtChallenge(error, signer === undefined ? [] : [signer]);
}
