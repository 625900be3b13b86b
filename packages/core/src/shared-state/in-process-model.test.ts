import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { virtualClock } from "../runtime/virtual-clock.ts";
import { inProcessValues } from "./values/in-process-values.ts";
import type { AddResult, Json } from "./values/shared-values.ts";

type Step =
  | { op: "add"; key: string; amount: number; ttlMs: number; max: number }
  | { op: "set"; key: string; value: Json; ttlMs: number; ifAbsent: boolean }
  | { op: "raise"; key: string; value: number; ttlMs: number; group: string; maxKeys: number }
  | { op: "get"; key: string }
  | { op: "delete"; key: string }
  | { op: "wait"; ms: number };

interface NaiveEntry {
  key: string;
  value: Json;
  expiresAt: number;
  order: number;
  /** Group of a raised key. */
  group?: string | undefined;
}

/** A naive model of the state: a list of entries, searched linearly. */
class NaiveState {
  private entries: NaiveEntry[] = [];
  private order = 0;
  private readonly maxKeys: number;
  constructor(maxKeys: number) {
    this.maxKeys = maxKeys;
  }

  run(step: Exclude<Step, { op: "wait" }>, now: number): unknown {
    this.entries = this.entries.filter(({ expiresAt }) => expiresAt > now);
    const found = this.entries.find(({ key }) => key === step.key);
    if (step.op === "get") return found?.value;
    if (step.op === "delete") {
      this.entries = this.entries.filter((entry) => entry !== found);
      return found !== undefined;
    }
    if (step.op === "set") {
      if (step.ifAbsent && found !== undefined) return false;
      this.put(step.key, step.value, now + step.ttlMs);
      return true;
    }
    if (step.op === "raise") return this.raise(step, found, now);
    return this.add(step, found, now);
  }

  private raise(
    { key, value, ttlMs, group, maxKeys }: Extract<Step, { op: "raise" }>,
    found: NaiveEntry | undefined,
    now: number,
  ): boolean | "failed" {
    if (found !== undefined && typeof found.value !== "number") return "failed";
    if (found !== undefined && (found.value as number) >= value) return false;
    const keyGroup = found?.group ?? group;
    const others = this.entries.filter((entry) => entry.group === keyGroup && entry !== found);
    if (found?.group === undefined && others.length >= maxKeys) return "failed";
    this.entries = this.entries.filter((entry) => entry !== found);
    const expiresAt = Math.max(found?.expiresAt ?? 0, now + ttlMs);
    this.entries.push({ key, value, expiresAt, order: this.order++, group: keyGroup });
    return true;
  }

  private add(
    step: Extract<Step, { op: "add" }>,
    found: NaiveEntry | undefined,
    now: number,
  ): AddResult | "failed" {
    if (found !== undefined && typeof found.value !== "number") return "failed";
    const before = found === undefined ? 0 : (found.value as number);
    let granted = 0;
    while (granted < step.amount && before + granted < step.max) granted++;
    while (granted > step.amount && before + granted > 0) granted--;
    const value = before + granted;
    if (found !== undefined) found.value = value;
    else if (granted !== 0) this.put(step.key, value, now + step.ttlMs);
    return { value, granted, expiresInMs: found === undefined ? step.ttlMs : found.expiresAt - now };
  }

  private put(key: string, value: Json, expiresAt: number): void {
    this.entries = this.entries.filter((entry) => entry.key !== key);
    this.entries.sort((a, b) => a.expiresAt - b.expiresAt || a.order - b.order);
    const evictable = this.entries.filter(({ group }) => group === undefined);
    const [first] = evictable;
    if (evictable.length >= this.maxKeys) this.entries = this.entries.filter((entry) => entry !== first);
    this.entries.push({ key, value, expiresAt, order: this.order++ });
  }
}

const key = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
const ttlMs = fc.integer({ min: 1, max: 40 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    op: fc.constant("add" as const),
    key,
    amount: fc.integer({ min: -4, max: 4 }),
    ttlMs,
    max: fc.integer({ min: 0, max: 6 }),
  }),
  fc.record({
    op: fc.constant("set" as const),
    key,
    value: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom<Json>("text", null, [1], { a: 1 })),
    ttlMs,
    ifAbsent: fc.boolean(),
  }),
  fc.record({
    op: fc.constant("raise" as const),
    key,
    value: fc.integer({ min: 0, max: 6 }),
    ttlMs,
    group: fc.constantFrom("one", "two"),
    maxKeys: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ op: fc.constant("get" as const), key }),
  fc.record({ op: fc.constant("delete" as const), key }),
  fc.record({ op: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 20 }) }),
);

test("matches the naive model for any sequence of calls", () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 120, size: "max" }),
      fc.integer({ min: 1, max: 6 }),
      (steps, maxKeys) => {
        let now = 0;
        const values = inProcessValues({ clock: { ...virtualClock(), now: () => now }, maxKeys });
        const model = new NaiveState(maxKeys);
        const real = (step: Exclude<Step, { op: "wait" }>): unknown => {
          if (step.op === "get") return values.get(step.key);
          if (step.op === "delete") return values.delete(step.key);
          if (step.op === "set") return values.set(step.key, step.value, step);
          try {
            if (step.op === "raise") return values.raise(step.key, step.value, step);
            return values.add(step.key, step.amount, step);
          } catch {
            return "failed";
          }
        };
        const results: [real: unknown, naive: unknown][] = [];
        for (const step of steps) {
          if (step.op === "wait") now += step.ms;
          else results.push([real(step), model.run(step, now)]);
        }
        expect(results.map(([result]) => result)).toEqual(results.map(([, result]) => result));
      },
    ),
    { numRuns: 200 },
  );
});
