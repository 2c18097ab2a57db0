/** How the pages for people look. Colours are `#rrggbb`. */
export interface Branding {
  readonly name: string;
  /** For links, buttons and the focus, on a light and a dark background, and for the text on buttons. */
  readonly colors: {
    readonly [Scheme in 'light' | 'dark']: { readonly accent: string; readonly on: string };
  };
  readonly logo: Logo | null;
  /** For the dark theme; null: `logo` is for both. */
  readonly logoDark: Logo | null;
  /** For people who cannot sign in; null: the pages say nothing of their own. */
  readonly help: { readonly text: string; readonly url: string | null } | null;
}

export interface Logo {
  readonly type: 'image/svg+xml' | 'image/png';
  readonly content: Buffer;
}
