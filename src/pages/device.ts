import { type Html, html } from './html.ts';
import { describedBy, type Failure, failureSummary, layout, type View } from './layout.ts';

/** The device for which a person signs in. */
export interface WaitingDevice {
  /** The client's name. */
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
export function confirmDevicePage(view: View, waiting: WaitingDevice, userCode: string): Html {
  const { device } = view.texts;
  return question(view, {
    heading: device.confirmHeading,
    lead: device.confirmLead,
    facts: [html`<dt>${device.code}</dt><dd><code>${userCode}</code></dd>`, ...factsOf(view, waiting)],
    warning: device.warning,
    form: html`<form method="post" action="${path}">
<input type="hidden" name="user_code" value="${userCode}">
<button type="submit" name="step" value="continue">${device.confirm}</button>
<button type="submit" name="step" value="deny" class="link">${device.deny}</button>
</form>`,
  });
}

/** The same after the person has signed in: only now does the device get the result. */
export function finishDevicePage(
  view: View,
  waiting: WaitingDevice,
  finished: { path: string; code: string },
): Html {
  const { device } = view.texts;
  return question(view, {
    heading: device.finishHeading,
    lead: device.finishLead,
    facts: factsOf(view, waiting),
    warning: device.finishWarning,
    form: html`<form method="post" action="${finished.path}">
<input type="hidden" name="code" value="${finished.code}">
<button id="approve-device" type="submit" name="step" value="approve">${device.finish}</button>
<button type="submit" name="step" value="deny" class="link">${device.deny}</button>
</form>`,
  });
}

function factsOf({ texts: { device } }: View, { client, ipAddress, since }: WaitingDevice): readonly Html[] {
  const time = `${since.slice(0, 16).replace('T', ' ')} UTC`;
  return [
    html`<dt>${device.client}</dt><dd>${client}</dd>`,
    html`<dt>${device.place}</dt><dd>${ipAddress}</dd>`,
    html`<dt>${device.time}</dt><dd><time datetime="${since}">${time}</time></dd>`,
  ];
}

function question(
  view: View,
  asked: { heading: string; lead: string; facts: readonly Html[]; warning: string; form: Html },
): Html {
  const { heading, lead, facts, warning, form } = asked;
  return layout(view, {
    title: heading,
    heading,
    lead,
    content: html`<dl>
${facts}
</dl>
<p>${warning}</p>
${form}`,
  });
}

export type DeviceOutcome = 'approved' | 'denied' | 'gone';

/** The last page in this browser. */
export function deviceDonePage(view: View, outcome: DeviceOutcome): Html {
  const { heading, text } = view.texts.device.outcomes[outcome];
  return layout(view, { title: heading, heading, content: html`<p>${text}</p>` });
}
