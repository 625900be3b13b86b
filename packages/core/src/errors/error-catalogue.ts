/** One error code: the condition and the remedy. */
export interface ErrorEntry {
  /** Status of the reply, if the error becomes a reply. */
  readonly status?: number;
  /** The condition as a clause: `the folder does not exist`. */
  readonly summary: string;
  /** The remedy in the imperative: `create the folder, or correct directory`. */
  readonly action: string;
}

/** The error codes of a package. Tests compare the README's table with it. */
export type ErrorCatalogue<Code extends string = string> = Readonly<Record<Code, ErrorEntry>>;
