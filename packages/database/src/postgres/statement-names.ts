import { leavesState } from "./lasting-state.ts";

/** Statements that the server keeps prepared, per connection; texts beyond are sent whole. */
const MAX_NAMES = 300;

/** What is known of a statement's text. */
export interface KnownText {
  /** Under which it is prepared; `undefined` when it is sent whole. */
  readonly name: string | undefined;
  /** Whether the connection cannot go back to others behind it. */
  readonly lasting: boolean;
}

/** Names under which statements are prepared once per connection; the first texts get one, since names cannot be taken back. */
export class StatementNames {
  private readonly known = new Map<string, KnownText>();

  of(text: string): KnownText {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const lasting = leavesState(text);
    if (this.known.size >= MAX_NAMES) return { name: undefined, lasting };
    const made = { name: `s${this.known.size}`, lasting };
    this.known.set(text, made);
    return made;
  }
}
