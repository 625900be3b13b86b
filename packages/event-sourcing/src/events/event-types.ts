import type { Problem } from "@framework/core";
import { nearest } from "@framework/core/feature";
import { eventError } from "../errors/event-error.ts";
import type { AnyEventType } from "./event-type.ts";

/** The event types of a store. A store without types accepts events of every type, unchecked. */
export class EventTypes {
  private readonly byName = new Map<string, AnyEventType>();
  /** The last type looked up: consecutive events often have the same type, and comparing strings is faster than hashing them. */
  private last: AnyEventType | undefined = undefined;

  /** Keeps the first definition of a name; `problems` reports duplicates. */
  constructor(types: readonly AnyEventType[]) {
    for (const each of types) if (!this.byName.has(each.type)) this.byName.set(each.type, each);
  }

  /** Returns the type with a name; `undefined` if it is unknown. */
  get(name: string): AnyEventType | undefined {
    if (this.last?.type === name) return this.last;
    if (this.byName.size === 0) return undefined;
    const found = this.byName.get(name);
    if (found !== undefined) this.last = found;
    return found;
  }

  /** Returns the type of an event to append; `null` in a store without types. @throws EVENTS_UNKNOWN_TYPE */
  forAppend(name: string): AnyEventType | null {
    const known = this.byName.get(name);
    if (known !== undefined && known.schema !== null) return known;
    if (known !== undefined)
      throw eventError("EVENTS_UNKNOWN_TYPE", `the type ${name} is retired: its events can only be read`);
    if (this.byName.size === 0) return null;
    const [near] = nearest(name, [...this.byName.keys()]);
    const hint = near === undefined ? "" : `; did you mean ${near}?`;
    throw eventError("EVENTS_UNKNOWN_TYPE", `the type ${name} is not in the option \`events\`${hint}`);
  }

  /** @throws EVENTS_UNKNOWN_TYPE unless each definition is one of the store, not only of the same name */
  check(types: readonly AnyEventType[], user: string): void {
    const missing = types.filter((each) => this.byName.get(each.type) !== each);
    if (missing.length === 0) return;
    const names = missing.map(({ type }) => type).join(", ");
    throw eventError(
      "EVENTS_UNKNOWN_TYPE",
      `${user} has types that are not in the option \`events\`: ${names}`,
    );
  }

  /** Returns the configuration errors of a list of types. */
  static problems(types: readonly AnyEventType[]): readonly Problem[] {
    const seen = new Map<string, AnyEventType>();
    const twice = new Set<string>();
    for (const each of types) {
      const first = seen.get(each.type);
      if (first !== undefined && first !== each) twice.add(each.type);
      seen.set(each.type, each);
    }
    return [...twice].map((type) => ({
      code: "EVENTS_DUPLICATE_TYPE",
      message: `two event types have the name ${type}; rename one`,
    }));
  }
}
