// Entities that existing consoles and command lines list and that this service does not have: services, routers and the
// policies between them. With the compatibility profile the answers say so in the form that those clients read.

import { z } from 'zod';
import { dataPlaneLists, dataPlaneListsOfIdentity } from '../documents/data-plane.ts';
import { emptyList } from '../edge/data-plane.ts';
import { listParameters } from '../request/fields.ts';
import { adminRoute, dataAnswer, listAnswer, type Route } from '../request/route.ts';

/** How many there are of each. Entities that this service has are not counted. */
const countsSchema = z.record(z.enum(dataPlaneLists), z.literal(0)).meta({ id: 'Summary' });

export function dataPlaneRoutes(): readonly Route[] {
  const paths = [...dataPlaneLists, ...dataPlaneListsOfIdentity.map((name) => `identities/:id/${name}`)];
  return [
    ...paths.map((path) =>
      adminRoute('GET', path, {
        summary: `List the ${path.replace('identities/:id/', '').replaceAll('-', ' ')}; there are none`,
        answer: listAnswer(z.never(), 'No entries'),
        query: listParameters,
        handler: async (_context, input) => emptyList(input),
      }),
    ),
    adminRoute('GET', 'summary', {
      summary: 'Data-plane counts; always zero',
      answer: dataAnswer(countsSchema, 'Zero for each'),
      data: () => Object.fromEntries(dataPlaneLists.map((name) => [name, 0])),
    }),
  ];
}
