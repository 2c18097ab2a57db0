import type { caEntity } from '../../../../src/model/entities/ca.ts';
import { Card } from '../../../parts/screen.tsx';
import type { Draft } from '../../forms/entity-fields.ts';
import { EntityField, FieldCard, useForm } from '../../forms/fields.tsx';
import { CheckField } from '../../parts/field.tsx';
import { fieldWords } from '../../texts/fields.ts';
import type { Authority } from '../../types.ts';
import { words } from './words.ts';

export type CaDraft = Draft<Authority, typeof caEntity>;
type ClaimRule = NonNullable<Authority['externalIdClaim']>;

export function CaFields() {
  const { draft } = useForm<CaDraft>();
  return (
    <>
      <FieldCard
        id="what"
        title={words.what}
        names={['name', 'isAuthEnabled', 'isAutoCaEnrollmentEnabled', 'isOttCaEnrollmentEnabled']}
      />
      <Card id="rule" title={words.rule}>
        <p className="hint">{words.ruleText}</p>
        <RuleFields />
      </Card>
      <FieldCard
        id="revocation"
        title={words.revocation}
        names={[
          'revocation.mode',
          ...(draft.revocation?.mode === 'off'
            ? []
            : ['revocation.crlUrls', 'revocation.crlPem', 'revocation.ocsp']),
        ]}
      />
      <FieldCard
        id="enrolling"
        title={words.enrolling}
        names={['identityRoles', 'identityNameFormat', 'tags']}
      />
    </>
  );
}

const newRule = {
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
};

/** The rule that finds the external id, in words too. */
function RuleFields() {
  const form = useForm<CaDraft>();
  const { externalIdClaim: rule } = form.draft;
  const field = (name: string) => `externalIdClaim.${name}`;
  const without = (...names: readonly ('matcherCriteria' | 'parserCriteria' | 'index')[]) =>
    Object.fromEntries(names.map((name) => [field(name), newRule[name]]));
  return (
    <>
      <CheckField
        id="has-rule"
        label={words.hasRule}
        isDisabled={form.isReadOnly}
        isOn={rule !== null}
        set={(isOn) => form.set({ externalIdClaim: isOn ? newRule : null })}
      />
      {rule !== null && (
        <>
          <EntityField name={field('location')} />
          <EntityField
            name={field('matcher')}
            also={(matcher) => (matcher === 'ALL' ? without('matcherCriteria') : {})}
          />
          {rule.matcher !== 'ALL' && <EntityField name={field('matcherCriteria')} isRequired />}
          <EntityField
            name={field('parser')}
            also={(parser) => (parser === 'NONE' ? without('parserCriteria', 'index') : {})}
          />
          {rule.parser === 'SPLIT' && (
            <>
              <EntityField name={field('parserCriteria')} isRequired />
              <EntityField name={field('index')} />
            </>
          )}
          <p className="note" id="rule-sentence">
            {sentenceOf(rule)}
          </p>
        </>
      )}
    </>
  );
}

function sentenceOf({
  location,
  matcher,
  matcherCriteria,
  parser,
  parserCriteria,
  index,
}: ClaimRule): string {
  const { which, whole, part } = words.sentence;
  const where = fieldWords('ca').choices['externalIdClaim.location']?.[location] ?? location;
  const what = `${where.charAt(0).toLowerCase()}${where.slice(1)}${matcher === 'ALL' ? '' : which[matcher](matcherCriteria)}`;
  return parser === 'SPLIT' ? part(what, index, parserCriteria) : whole(what);
}
