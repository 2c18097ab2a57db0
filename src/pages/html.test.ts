import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { html } from './html.ts';

describe('html', () => {
  test('values are escaped once, Html is taken as it is', () => {
    const hostile = `<script>"'&</script>`;
    const escaped = '&lt;script&gt;&quot;&#39;&amp;&lt;/script&gt;';
    assert.equal(html`<p title="${hostile}">${hostile}</p>`.text, `<p title="${escaped}">${escaped}</p>`);
    assert.equal(html`<p>${html`<b>${'&'}</b>`}</p>`.text, '<p><b>&amp;</b></p>');
    assert.equal(html`${[html`<i>${1}</i>`, '<', [null, false, undefined, 0]]}`.text, '<i>1</i>&lt;0');
  });

  test('an object that looks like Html does not pass for it', () => {
    const forged = JSON.parse('{"text":"<script>"}');
    assert.ok(!html`${forged}`.text.includes('<script>'));
  });
});
