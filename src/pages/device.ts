import { describedBy, type Failure, failureSummary } from './failure.ts';
import { type Html, html } from './html.ts';
import { layout } from './layout.ts';
import type { View } from './view.ts';

/** What a person must know before signing in for a device. */
export interface WaitingDevice {
  readonly userCode: string;
  /** What the client calls itself. */
  readonly client: string;
  /** The address from which the device asked. */
  readonly ipAddress: string;
  /** RFC 3339. */
  readonly since: string;
}

const path = '/oidc/device';

/** Asks for the code that a device shows. Works without scripts. */
export function deviceCodePage(view: View, userCode: string, failure: Failure | null): Html {
  const { device, errorTitle } = view.texts;
  const isRefused = failure !== null;
  return layout(view, {
    title: isRefused ? `${errorTitle(device.failedTitle)} - ${device.heading}` : device.heading,
    heading: device.heading,
    lead: device.lead,
    content: html`${failure !== null && failureSummary(view, failure, { what: device.unknown, next: device.checkIt })}
<form method="post" action="${path}">
<input type="hidden" name="step" value="look">
<div class="field"><label for="user_code">${device.label}</label>
<input id="user_code" name="user_code" value="${userCode}" autocomplete="off" autocapitalize="characters" spellcheck="false" required maxlength="40"${describedBy(isRefused, 'code-hint')}>
<p class="hint" id="code-hint">${device.hint}</p></div>
<button type="submit">${device.submit}</button>
</form>`,
  });
}

/** Names the device, and asks whether the person means it (RFC 8628 5.4). */
export function confirmDevicePage(view: View, waiting: WaitingDevice): Html {
  const { device } = view.texts;
  return layout(view, {
    title: device.confirmHeading,
    heading: device.confirmHeading,
    lead: device.confirmLead,
    content: html`<dl>
<dt>${device.code}</dt><dd><code>${waiting.userCode}</code></dd>
<dt>${device.client}</dt><dd>${waiting.client}</dd>
<dt>${device.place}</dt><dd>${waiting.ipAddress}</dd>
<dt>${device.time}</dt><dd><time datetime="${waiting.since}">${waiting.since.slice(0, 16).replace('T', ' ')} UTC</time></dd>
</dl>
<p>${device.warning}</p>
<form method="post" action="${path}">
<input type="hidden" name="user_code" value="${waiting.userCode}">
<button type="submit" name="step" value="continue">${device.confirm}</button>
<button type="submit" name="step" value="deny" class="link">${device.deny}</button>
</form>`,
  });
}

export type DeviceOutcome = 'approved' | 'denied' | 'gone';

/** The last page in this browser. */
export function deviceDonePage(view: View, outcome: DeviceOutcome): Html {
  const { heading, text } = view.texts.device.outcomes[outcome];
  return layout(view, { title: heading, heading, content: html`<p>${text}</p>` });
}
