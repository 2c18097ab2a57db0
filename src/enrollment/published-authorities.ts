/** The authorities that verify a listener, and the overlay's own. */
export interface AuthorityList {
  /** PEM, one after another. */
  readonly pem: string;
  /** The same as a degenerate PKCS #7, base64 in lines of 64 characters (RFC 7030 section 4.1.3). */
  readonly pkcs7: string;
}

/** The authorities that clients trust after enrolling. Read from files at start and at each reload. */
export type PublishedAuthorities = ReturnType<typeof publishedAuthorities>;

export function publishedAuthorities(first: ReadonlyMap<string, AuthorityList>) {
  let lists = first;
  return {
    /** @param listener its name */
    of(listener: string): AuthorityList {
      const list = lists.get(listener);
      if (list === undefined) throw new Error(`no authorities were read for the listener ${listener}`);
      return list;
    },
    replace(fresh: typeof first): void {
      lists = fresh;
    },
  };
}
