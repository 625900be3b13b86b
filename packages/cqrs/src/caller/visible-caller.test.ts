import { createInvocation } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { visibleCaller } from "./visible-caller.ts";

const textFor = (user: unknown): string | null => {
  const invocation = createInvocation({ kind: "job", name: "night" });
  invocation.context.set("user", user);
  return visibleCaller(invocation);
};

test("an account that is not plain data gives null", () => {
  class Account {
    readonly id = "ann";
  }
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const accounts: unknown[] = [new Account(), { of: [new Account()] }, new Set([new Account()]), cycle];
  accounts.push({ can: () => true }, { toJSON: () => "ann" }, Object.assign([], { admin: true }));
  accounts.push(
    Object.defineProperty({}, "admin", { value: true }),
    { [Symbol.iterator]: 1 },
    Symbol.iterator,
  );
  accounts.push(Object.assign(new Date(0), { admin: true }), Object.assign(new Set(), { admin: true }));
  expect(accounts.map(textFor)).toEqual(accounts.map(() => null));
});

test("accounts with different members or types give different strings, even if their JSON is equal", () => {
  const values: unknown[] = [undefined, null, Number.NaN, [], new Set(), new Map(), new Date(0), new Date(1)];
  values.push([new Date(0)], "1970-01-01T00:00:00.000Z", "\0undefined", "\0date 0", "\0set []", "\0\0set []");
  values.push(1, "1", 1n, "\0bigint 1", new Set([1]), new Set(["1"]), new Map([[1, new Set([1n])]]));
  const texts = (): (string | null)[] => [{}, ...values.map((value) => ({ value }))].map(textFor);
  expect(texts()).not.toContain(null);
  expect(new Set(texts()).size).toBe(values.length + 1);
  expect(texts()).toEqual(texts());
});
