import { leavesState } from "./lasting-state.ts";

/** Maximum number of prepared statements per connection; further texts are sent unprepared. */
const MAX_NAMES = 300;

const FIXED_COLUMNS = /^\s*(?:select|insert|update|delete|merge|with|values)\b/i;

/** Properties of a statement's text. */
export interface StatementProperties {
  /** Name of the prepared statement; `undefined` if it is sent unprepared. */
  readonly name: string | undefined;
  /** Whether it changes the session, so that the connection must be destroyed after it. */
  readonly changesSession: boolean;
  /** Whether its result columns are always the same, unlike the columns of `FETCH`, which depend on the cursor. */
  readonly hasFixedColumns: boolean;
}

/** Assigns names of prepared statements; only the first 300 texts get one, because names cannot be reassigned. */
export class StatementNames {
  private readonly known = new Map<string, StatementProperties>();

  of(text: string): StatementProperties {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const changesSession = leavesState(text);
    const hasFixedColumns = FIXED_COLUMNS.test(text);
    if (this.known.size >= MAX_NAMES) return { name: undefined, changesSession, hasFixedColumns };
    const made = { name: `s${this.known.size}`, changesSession, hasFixedColumns };
    this.known.set(text, made);
    return made;
  }
}
