import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { caEntity as entity } from '../../../../src/model/entities/ca.ts';
import { announce } from '../../../parts/announce.tsx';
import { CopyButton } from '../../../parts/keep.tsx';
import { timeText } from '../../../parts/language.ts';
import { Badge, Card, Facts } from '../../../parts/screen.tsx';
import { EntityScreen } from '../../forms/entity-screen.tsx';
import { FieldCard, PemField } from '../../forms/fields.tsx';
import { type Column, factsOf, fieldColumn } from '../../lists/columns.tsx';
import { EntityList } from '../../lists/entity-list.tsx';
import { notAfter } from '../../parts/certificate.ts';
import { EntriesCard } from '../../parts/entries.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { SameChange } from '../../parts/same-change.tsx';
import { SubmitForm } from '../../parts/submit-form.tsx';
import { Time } from '../../parts/time.tsx';
import { refresh, useRead } from '../../queries.ts';
import { make, readText } from '../../session/api.ts';
import { fieldWords } from '../../texts/fields.ts';
import { texts } from '../../texts/texts.ts';
import type { Authority, RevocationListState } from '../../types.ts';
import { fileName, HandOver } from '../people/hand-over.tsx';
import { type CaDraft, CaFields } from './ca-fields.tsx';
import { words } from './words.ts';

const { labels, columns = {} } = fieldWords(entity.kind);

export function CaScreen() {
  return (
    <EntityScreen<Authority, CaDraft>
      entity={entity}
      create={words.create}
      initial={{ isAuthEnabled: true }}
      // First the certificate; the proof of possession of its key comes afterwards.
      fields={(isNew) => (
        <>
          {isNew && <FieldCard id="certificate" title={labels.certPem ?? ''} names={['certPem']} />}
          <CaFields />
        </>
      )}
      ask={(changes, _draft, id) => {
        if (id === null) return null;
        if (changes.isAuthEnabled === false) return words.disableEnds;
        return changes.externalIdClaim === undefined ? null : words.ruleEnds;
      }}
      deletionEnds={words.deleteEnds}
    >
      {(ca, mayChange) => (
        <>
          <CaFacts ca={ca} />
          {ca.revocation.mode !== 'off' && <RevocationLists id={ca.id} />}
          {ca.isVerified && ca.isAutoCaEnrollmentEnabled && <EnrollmentJwt ca={ca} />}
          {mayChange && ca.verificationToken !== null && <ProveKey id={ca.id} token={ca.verificationToken} />}
        </>
      )}
    </EntityScreen>
  );
}

function CaFacts({ ca }: { ca: Authority }) {
  const { isVerified, verifiedAt, certPem } = ca;
  return (
    <Facts
      facts={[
        [
          columns.verifiedAt ?? '',
          <span key="state" id="state">
            <VerifiedBadge isVerified={isVerified} />{' '}
            {verifiedAt === null ? '' : words.since(timeText(verifiedAt))}
          </span>,
        ],
        [texts.person.endsAt, <EndOf key="ends" certPem={certPem} />],
        ...factsOf(entity, ca, ['thumbprint']),
      ]}
    />
  );
}

const state: Column<Authority> = {
  ...fieldColumn<Authority>(entity, 'verifiedAt', ({ isVerified }) => (
    <VerifiedBadge isVerified={isVerified} />
  )),
  text: ({ isVerified }) => String(isVerified),
};

const ends: Column<Authority> = {
  name: 'ends',
  title: texts.person.endsAt,
  cell: ({ certPem }) => <EndOf certPem={certPem} />,
  text: ({ certPem }) => notAfter(certPem) ?? '',
};

function VerifiedBadge({ isVerified }: { isVerified: boolean }) {
  return <Badge kind={isVerified ? 'good' : 'bad'}>{isVerified ? words.verified : words.notVerified}</Badge>;
}

/** When a certificate expires, if that can be read. */
function EndOf({ certPem }: { certPem: string }) {
  const at = notAfter(certPem);
  return at === null ? null : <Time at={at} />;
}

export function CasScreen() {
  return <EntityList entity={entity} columns={[state, 'isAuthEnabled', ends]} words={words} />;
}

/** The JWT that leads holders of the CA's certificates here. It is not a secret: the certificate lets them in. */
export function EnrollmentJwt({ ca: { id, name } }: { ca: Authority }) {
  const path = `cas/${encodeURIComponent(id)}/jwt`;
  const query = useQuery({ queryKey: ['text', path], queryFn: ({ signal }) => readText(path, signal) });
  return (
    <Card id="enrollment-jwt" title={words.jwt}>
      <Loaded query={query}>
        {(jwt) => (
          <HandOver
            says={words.jwtText}
            text={jwt}
            file={{ name: fileName(name, 'jwt'), type: 'application/jwt' }}
          />
        )}
      </Loaded>
    </Card>
  );
}

/** How the revocation lists of a CA stand. */
export function RevocationLists({ id }: { id: string }) {
  const path = `cas/${encodeURIComponent(id)}/revocation`;
  const query = useRead<readonly RevocationListState[]>(path);
  return (
    <EntriesCard
      id="revocation-lists"
      title={words.lists}
      query={query}
      keyOf={({ url }) => url}
      empty={[words.noList]}
      entry={(list) => <ListEntry list={list} />}
    />
  );
}

function ListEntry({ list }: { list: RevocationListState }) {
  const { url, issuer, entries, thisUpdate, nextUpdate, fetchedAt, triedAt, error, isDelta } = list;
  const isOutdated = nextUpdate === null || Date.parse(nextUpdate) <= Date.now();
  return (
    <>
      <code>{url}</code> {isOutdated && <Badge kind="bad">{words.outdated}</Badge>}
      {issuer !== null && (
        <span className="hint block">
          {words.entriesOf(issuer, entries ?? 0)}
          {isDelta === true && `, ${words.delta}`}
        </span>
      )}
      {thisUpdate !== null && nextUpdate !== null && fetchedAt !== null && (
        <span className="hint block">
          {words.listTimes(timeText(thisUpdate), timeText(nextUpdate), timeText(fetchedAt))}
        </span>
      )}
      {error !== null && <span className="hint block">{words.listProblem(timeText(triedAt), error)}</span>}
    </>
  );
}

/**
 * Leads through the proof that the administrator who adds a CA holds its key: a certificate issued by it with the token
 * as common name.
 */
function ProveKey({ id, token }: { id: string; token: string }) {
  const [certPem, setCertPem] = useState('');
  const path = `cas/${id}/verify`;
  const commands = commandsFor(token);
  return (
    <Card id="prove" title={words.prove}>
      <p>{words.proveText}</p>
      <SubmitForm
        id="verify"
        label={words.verify}
        action={() => make({ method: 'POST', path, body: { certPem } })}
        done={async () => {
          announce(words.isVerified);
          await refresh();
        }}
      >
        <ol className="steps">
          <li>
            <p>
              {words.step1} <code id="verification-token">{token}</code> <CopyButton text={token} />
            </p>
          </li>
          <li>
            <p>
              {words.step2} <CopyButton text={commands} />
            </p>
            <pre>{commands}</pre>
          </li>
          <li>
            <p>{words.step3}</p>
            <PemField id="proof" label={words.proof} required value={certPem} set={setCertPem} />
          </li>
        </ol>
      </SubmitForm>
      <SameChange
        command={['ca', 'verify', id, '--cert', 'proof.crt']}
        change={{ method: 'POST', path, body: { certPem: '…' } }}
      />
    </Card>
  );
}

/** @param token hexadecimal, so a shell interprets nothing in it */
function commandsFor(token: string): string {
  return `openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout proof.key -subj /CN=${token} -out proof.csr
openssl x509 -req -in proof.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 1 -out proof.crt`;
}
