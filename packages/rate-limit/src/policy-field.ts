/** The name of a limit, and its `RateLimit-Policy` for the last capacity that was asked for. */
export class PolicyField {
  /** The name as a string of a structured field (RFC 9651). */
  readonly quotedName: string;
  readonly #windowSecs: number;
  #capacity = Number.NaN;
  #policy = "";

  constructor(name: string, windowSecs: number) {
    this.quotedName = structuredString(name);
    this.#windowSecs = windowSecs;
  }

  policy(capacity: number): string {
    if (capacity === this.#capacity) return this.#policy;
    this.#capacity = capacity;
    return (this.#policy = `${this.quotedName};q=${capacity};w=${this.#windowSecs}`);
  }
}

/** Printable ASCII in quotes; anything else is percent-encoded. */
const structuredString = (text: string): string =>
  `"${text
    .toWellFormed()
    .replaceAll(/[^ -~]+/g, encodeURIComponent)
    .replaceAll(/["\\]/g, "\\$&")}"`;
