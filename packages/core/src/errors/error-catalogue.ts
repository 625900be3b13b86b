/** One error code: when the error occurs, and what to do about it. */
export interface ErrorEntry {
  /** Status of the reply, where the error becomes one. */
  readonly status?: number;
  /** When the error occurs, as a clause: `the folder does not exist`. */
  readonly summary: string;
  /** What to do, in the imperative: `create the folder, or correct directory`. */
  readonly action: string;
}

/** The error codes of a package as data. Its README's table is compared with it. */
export type ErrorCatalogue<Code extends string = string> = Readonly<Record<Code, ErrorEntry>>;
