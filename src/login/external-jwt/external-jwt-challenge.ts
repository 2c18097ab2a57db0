import {
  type Challenge,
  type ChallengeError,
  primaryExtJwtChallenge,
  secondaryExtJwtChallenge,
} from '../../errors/challenge.ts';
import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import type { SignerId } from '../../model/ids.ts';
import type { SignerDirectory } from './signer-directory.ts';

/** Characters of ids and issuers in one challenge. Clients refuse answers with too long headers. */
const longestList = 4096;

/** Says which signers are possible for a primary login: the enabled ones, as many as fit into a header. */
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

/** Says which signer's token is missing after the primary proof. */
export function secondaryChallenge(signers: SignerDirectory, id: SignerId, error: ChallengeError): Challenge {
  const signer = signers.find(id);
  return secondaryExtJwtChallenge(error, signer === undefined ? [] : [signer]);
}
