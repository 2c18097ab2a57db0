import type { Branding } from '../../model/branding.ts';
import { type Asset, lookOf } from '../../pages/look.ts';
import { fixedRoute } from '../request/fixed-route.ts';
import { contentAnswer, type Route } from '../request/route.ts';
import { immutable } from '../request/security-headers.ts';
import { type Views, viewsOf } from './views.ts';

/** The views of a branding, and the endpoints for its files. */
export function brandedPages(branding: Branding): {
  readonly views: Views;
  readonly assets: readonly Route[];
} {
  const { look, assets } = lookOf(branding);
  return { views: viewsOf(look), assets: assetRoutes(assets) };
}

/** The files that pages refer to. A picture opened directly runs nothing and loads nothing. */
export function assetRoutes(assets: readonly Asset[]): readonly Route[] {
  return assets.map(({ path, type, content }) =>
    fixedRoute(path, {
      api: 'pages',
      errors: 'html-or-edge',
      produces: [type.replace(/;.*/, '')],
      summary: 'Get a file that pages refer to',
      answers: { 200: contentAnswer(type.replace(/;.*/, ''), 'The file') },
      make: () => ({
        status: 200,
        headers: {
          'content-type': type,
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
          ...immutable,
        },
        body: content,
      }),
    }),
  );
}
