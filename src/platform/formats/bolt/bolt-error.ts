/** Where in a file something stands: the page, and the byte in it. */
export interface BoltPlace {
  readonly page: number;
  readonly offset: number;
}

/** The file is no sound bolt database. The message names the place and quotes nothing of the file. */
export class BoltError extends Error {
  override readonly name = 'BoltError';

  constructor(problem: string, place?: BoltPlace) {
    super(place === undefined ? problem : `page ${place.page}, offset ${place.offset}: ${problem}`);
  }
}
