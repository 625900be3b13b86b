/** Statements that the server keeps prepared, per connection; texts beyond are sent whole. */
const MAX_NAMES = 300;

/** Names under which statements are prepared once per connection; the first texts get one, since names cannot be taken back. */
export class StatementNames {
  readonly #names = new Map<string, string>();

  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_NAMES) return undefined;
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
