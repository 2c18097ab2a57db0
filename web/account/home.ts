// Script of the start page: shows people who are signed in at the account page their applications. Others see the page
// as it came.

import { api, session } from './session.ts';

const place = document.getElementById('applications');
const applications = await mine().catch(() => []);
place?.querySelector('ul')?.append(
  ...applications.map(({ name, url, logoUri }) => {
    const logo = document.createElement(logoUri === null ? 'span' : 'img');
    logo.className = 'app-logo';
    if (logo instanceof HTMLImageElement) Object.assign(logo, { src: logoUri, alt: '' });
    else {
      logo.textContent = [...name][0]?.toUpperCase() ?? '';
      logo.ariaHidden = 'true';
    }
    const title = document.createElement('bdi');
    title.textContent = name;
    const link = Object.assign(document.createElement('a'), { href: url });
    link.append(logo, title);
    const item = document.createElement('li');
    item.append(link);
    return item;
  }),
);
if (place !== null && applications.length > 0) {
  place.hidden = false;
  document.getElementById('to-sign-in')?.remove();
}

async function mine() {
  await session.begin();
  return session.currentState() === 'signed-in'
    ? (await api.GET('/current-identity/applications')).data.data
    : [];
}
