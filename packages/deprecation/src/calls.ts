import type { Endpoint } from "@framework/core";
import type { Sample } from "@framework/core/feature";

/** Calls of one deprecated route by one caller. */
interface Count {
  value: number;
  readonly labels: { readonly method: string; readonly path: string; readonly caller: string };
}

/** Counts the calls of deprecated routes by route and caller, for at most `maxCallers` pairs; further callers of a route are counted as `other`. */
export class DeprecatedCalls {
  private readonly counts: Map<string, Count> = new Map();
  private readonly maxCallers: number;
  private namedCallers = 0;

  constructor(maxCallers: number) {
    this.maxCallers = maxCallers;
  }

  add({ method, pattern }: Pick<Endpoint, "method" | "pattern">, name: string | null): void {
    const caller = name === null ? "anonymous" : cut(name);
    const key = (label: string): string => `${method} ${pattern} ${label}`;
    const known = this.counts.get(key(caller));
    if (known !== undefined) known.value++;
    else if (name === null || this.namedCallers < this.maxCallers) {
      if (name !== null) this.namedCallers++;
      this.counts.set(key(caller), { value: 1, labels: { method, path: pattern, caller } });
    } else {
      const rest = this.counts.get(key("other"));
      if (rest !== undefined) rest.value++;
      else this.counts.set(key("other"), { value: 1, labels: { method, path: pattern, caller: "other" } });
    }
  }

  samples(): Sample[] {
    return [...this.counts.values()].map(({ value, labels }) => ({ value, labels }));
  }
}

/** Returns at most 100 UTF-16 units of a name, without half of a surrogate pair at the end. */
const cut = (name: string): string => name.slice(0, 100).replace(/[\uD800-\uDBFF]$/, "");
