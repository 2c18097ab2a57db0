import { Card } from '../../../parts/screen.tsx';
import type { FormState } from '../../forms/entity-form.tsx';
import { CheckField, LinesField, PairsField, TextField } from '../../forms/fields.tsx';
import { texts } from '../../texts/texts.ts';
import { type CaDraft, type ClaimRule, newRule } from './ca-draft.ts';
import { words } from './words.ts';

const { hints } = words;

interface FieldsProps {
  readonly form: FormState<CaDraft>;
}

export function CaFields({ form }: FieldsProps) {
  return (
    <>
      <Card id="what" title={words.what}>
        <TextField form={form} name="name" isRequired />
        <CheckField form={form} name="isAuthEnabled" />
        <CheckField form={form} name="isAutoCaEnrollmentEnabled" />
        <CheckField form={form} name="isOttCaEnrollmentEnabled" />
      </Card>
      <Card id="rule" title={words.rule}>
        <p className="hint">{words.ruleText}</p>
        <RuleFields form={form} />
      </Card>
      <Card id="enrolling" title={words.enrolling}>
        <LinesField form={form} name="identityRoles" hint={hints.identityRoles} />
        <TextField form={form} name="identityNameFormat" hint={hints.identityNameFormat} />
        <PairsField form={form} name="tags" hint={texts.forms.tagsHint} />
      </Card>
    </>
  );
}

/** The rule that finds the external id, and what it says in words. */
function RuleFields({ form }: FieldsProps) {
  const { externalIdClaim: rule } = form.draft;
  const set = (externalIdClaim: ClaimRule | null) => form.set({ externalIdClaim });
  return (
    <>
      <label className="check">
        <input
          id="has-rule"
          type="checkbox"
          disabled={form.isReadOnly}
          checked={rule !== null}
          onChange={({ target: { checked } }) => set(checked ? newRule : null)}
        />
        {words.hasRule}
      </label>
      {rule !== null && (
        <>
          <Choice
            {...{ form, rule, name: 'location', label: words.location, choices: words.locations }}
            set={(location) => set({ ...rule, location })}
          />
          <Choice
            {...{ form, rule, name: 'matcher', label: words.matcher, choices: words.matchers }}
            set={(matcher) => set({ ...rule, matcher, ...(matcher === 'ALL' && { matcherCriteria: '' }) })}
          />
          {rule.matcher !== 'ALL' && (
            <Text {...{ form, rule, name: 'matcherCriteria', label: words.criteria, set }} />
          )}
          <Choice
            {...{ form, rule, name: 'parser', label: words.parser, choices: words.parsers }}
            set={(parser) =>
              set({ ...rule, parser, ...(parser === 'NONE' && { parserCriteria: '', index: 0 }) })
            }
          />
          {rule.parser === 'SPLIT' && (
            <>
              <Text {...{ form, rule, name: 'parserCriteria', label: words.splitAt, set }} />
              <div className="field">
                <label htmlFor="rule-index">{words.index}</label>
                <input
                  id="rule-index"
                  type="number"
                  required
                  min={0}
                  max={100}
                  readOnly={form.isReadOnly}
                  value={rule.index}
                  onChange={({ target: { value } }) => set({ ...rule, index: Number(value) })}
                />
              </div>
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
  const { where, which, whole, part } = words.sentence;
  const what = `${where[location]}${matcher === 'ALL' ? '' : which[matcher](matcherCriteria)}`;
  return parser === 'SPLIT' ? part(what, index, parserCriteria) : whole(what);
}

interface RuleFieldProps<Name extends keyof ClaimRule> extends FieldsProps {
  readonly rule: ClaimRule;
  readonly name: Name;
  readonly label: string;
}

function Choice<Name extends 'location' | 'matcher' | 'parser'>({
  form,
  rule,
  name,
  label,
  choices,
  set,
}: RuleFieldProps<Name> & {
  readonly choices: Readonly<Record<ClaimRule[Name], string>>;
  readonly set: (value: ClaimRule[Name]) => void;
}) {
  return (
    <div className="field">
      <label htmlFor={`rule-${name}`}>{label}</label>
      <select
        id={`rule-${name}`}
        disabled={form.isReadOnly}
        value={rule[name]}
        // Sound because the options are the names of the choices.
        onChange={({ target: { value } }) => set(value as ClaimRule[Name])}
      >
        {Object.entries<string>(choices).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

function Text({
  form,
  rule,
  name,
  label,
  set,
}: RuleFieldProps<'matcherCriteria' | 'parserCriteria'> & { readonly set: (rule: ClaimRule) => void }) {
  return (
    <div className="field">
      <label htmlFor={`rule-${name}`}>{label}</label>
      <input
        id={`rule-${name}`}
        required
        readOnly={form.isReadOnly}
        value={rule[name]}
        onChange={({ target: { value } }) => set({ ...rule, [name]: value })}
      />
    </div>
  );
}
