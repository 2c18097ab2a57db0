/** A place in a file: the page, and the byte in it. */
export interface BoltPlace {
  readonly page: number;
  readonly offset: number;
}

/** The file is not a sound bolt database. The message names the place and quotes nothing from the file. */
export class BoltError extends Error {
  override readonly name = 'BoltError';

  constructor(problem: string, place?: BoltPlace) {
    super(place === undefined ? problem : `page ${place.page}, offset ${place.offset}: ${problem}`);
  }
}
