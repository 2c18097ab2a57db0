import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fields from '../../model/list-fields.ts';
import type { ListSource } from './list-query.ts';
import * as sources from './list-sources.ts';

/** By the name of what clients may ask for: from where it is read. */
const sourceOf: Readonly<Record<string, ListSource>> = {
  identityListFields: sources.identitiesSource,
  authPolicyListFields: sources.authPoliciesSource,
  authenticatorListFields: sources.authenticatorsSource,
  enrollmentListFields: sources.enrollmentsSource,
  loginAttemptListFields: sources.loginAttemptsSource,
  ownLoginAttemptListFields: sources.loginAttemptsSource,
  apiSessionListFields: sources.apiSessionsSource(0),
  externalJwtSignerListFields: sources.externalJwtSignersSource,
  publicSignerListFields: sources.externalJwtSignersSource,
  caListFields: sources.casSource,
  configTypeListFields: sources.configTypesSource,
  revocationListFields: sources.revocationsSource,
  nodeListFields: sources.nodesSource,
};

describe('the fields that clients may ask for', () => {
  for (const [name, listFields] of Object.entries(fields)) {
    test(`${name} are columns of the same kind`, () => {
      const source = sourceOf[name];
      assert.ok(source !== undefined, 'has no source');
      for (const { field, kind } of listFields.values())
        assert.equal(source.fields[field]?.type, kind, field);
    });
  }
});
