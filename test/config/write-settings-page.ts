// Writes the table of docs/configuration.md: npm run settings-page, after a setting has changed.

import { writeFileSync } from 'node:fs';
import { pageWithTable, settingsPage } from './settings-table.ts';

writeFileSync(settingsPage, pageWithTable());
