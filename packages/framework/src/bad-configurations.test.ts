import { expect, test } from "@jest/globals";
import { App } from "./index.ts";

/** An app whose `enableX` methods accept any value. */
type Untyped = Readonly<Record<string, (config: unknown) => unknown>>;

const names = Object.getOwnPropertyNames(new App()).filter((name) => /^enable[A-Z]/.test(name));

/** Methods that also accept a number. */
const acceptNumber = new Set(["enableBodyLimit", "enableCompression"]);
const LIST_OR_TEXT = "enableCors";

const nonObjects: readonly unknown[] = [
  5,
  true,
  null,
  "x",
  [1],
  new Date(0),
  new Map(),
  () => 1,
  Object.create({ a: 1 }),
];

const isAllowed = (name: string, value: unknown): boolean =>
  (typeof value === "number" && acceptNumber.has(name)) ||
  (name === LIST_OR_TEXT && (typeof value === "string" || Array.isArray(value)));

test("a configuration that is not an object is a start error of every feature", async () => {
  const unexpected: string[] = [];
  for (const name of names)
    for (const value of nonObjects.filter((each) => !isAllowed(name, each))) {
      const app = new App();
      (app as unknown as Untyped)[name]?.(value);
      const error = await app.start().then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (!/Config must be an object with fields, but is /.test(String(error)))
        unexpected.push(`${name}: ${String(error)}`);
    }
  expect(names.length).toBeGreaterThan(30);
  expect(unexpected).toEqual([]);
});

test("for a value passed in place of a record, the message names the field to set, and shows no secret", async () => {
  const app = new App();
  const untyped = app as unknown as Untyped;
  untyped["enableCaching"]?.(60);
  untyped["enableCircuitBreaker"]?.(1);
  untyped["enableCsrf"]?.("0123456789abcdef0123456789abcdef");
  const error = await app.start().catch((thrown: unknown) => thrown);
  const { message } = error as Error;
  expect(message).toContain(
    "CachingConfig must be an object with fields, but is 60; pass it as a field: { ttl: … }",
  );
  expect(message).toContain("but is 1; pass it as a field: { failureThreshold: … }");
  expect(message).toContain(
    "CsrfConfig must be an object with fields, but is another value; pass it as a field: { secret: … }",
  );
  expect(message).not.toContain("0123456789");
});
