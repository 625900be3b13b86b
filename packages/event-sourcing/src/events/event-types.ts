import type { Problem } from "@framework/core";
import { nearest } from "@framework/core/feature";
import { mistake } from "../errors/event-error.ts";
import type { AnyEventType } from "./event-type.ts";

/** The types of events that a store knows. A store without any takes events of every type, unchecked. */
export class EventTypes {
  private readonly byName = new Map<string, AnyEventType>();
  /** The last one asked for: neighbouring events often have one type, and comparing text is faster than hashing it. */
  private last: AnyEventType | undefined = undefined;

  /** The first definition of a name counts; `duplicates` has the mistakes. */
  constructor(types: readonly AnyEventType[]) {
    for (const each of types) if (!this.byName.has(each.type)) this.byName.set(each.type, each);
  }

  /** The type of a name; `undefined` for an unknown one. */
  get(name: string): AnyEventType | undefined {
    if (this.last?.type === name) return this.last;
    if (this.byName.size === 0) return undefined;
    const found = this.byName.get(name);
    if (found !== undefined) this.last = found;
    return found;
  }

  /** The type of an event to append; `null` in a store without types. @throws EVENTS_UNKNOWN_TYPE */
  forAppend(name: string): AnyEventType | null {
    const known = this.byName.get(name);
    if (known !== undefined && known.schema !== null) return known;
    if (known !== undefined)
      throw mistake("EVENTS_UNKNOWN_TYPE", `the type ${name} is retired: events of it are only read`);
    if (this.byName.size === 0) return null;
    const [near] = nearest(name, [...this.byName.keys()]);
    const hint = near === undefined ? "" : `; did you mean ${near}?`;
    throw mistake("EVENTS_UNKNOWN_TYPE", `the type ${name} is not in the option \`events\`${hint}`);
  }

  /** @throws EVENTS_UNKNOWN_TYPE unless the store has exactly these definitions */
  check(types: readonly AnyEventType[], user: string): void {
    const missing = types.filter((each) => this.byName.get(each.type) !== each);
    if (missing.length === 0) return;
    const names = missing.map(({ type }) => type).join(", ");
    throw mistake("EVENTS_UNKNOWN_TYPE", `${user} has types that are not in the option \`events\`: ${names}`);
  }

  /** Mistakes in a list of types, for the start. */
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
      message: `two types of events have the name ${type}; rename one`,
    }));
  }
}
