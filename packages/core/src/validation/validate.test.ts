import { expect, test } from "@jest/globals";
import { ValidationError } from "../errors/http-errors.ts";
import type { StandardIssue, StandardResult, StandardSchema } from "./standard-schema.ts";
import { resultOf, validate } from "./validate.ts";

const schema = <T>(
  check: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>,
): StandardSchema<unknown, T> => ({ "~standard": { version: 1, vendor: "test", validate: check } });

/** A schema that fails with the given issues, which may have a library's own members. */
const failing = (...issues: (StandardIssue & Record<string, unknown>)[]) => schema<never>(() => ({ issues }));

const errorOf = (fails: StandardSchema, value: unknown): ValidationError => {
  try {
    void validate(fails, value, "body");
  } catch (error) {
    if (error instanceof ValidationError) return error;
  }
  throw new Error("did not fail with a ValidationError");
};

const firstIssue = (issue: StandardIssue & Record<string, unknown>, value: unknown = {}) =>
  errorOf(failing(issue), value).issues[0];

const doublingSchema = schema((value) =>
  typeof value === "number" ? { value: value * 2 } : { issues: [{ message: "Not a number" }] },
);

test("a synchronous schema returns its output synchronously", () => {
  expect(validate(doublingSchema, 21, "body")).toBe(42);
});

test("an asynchronous schema returns a promise of its output", async () => {
  const later = schema(async (value) => ({ value: [value] }));
  const output = validate(later, 1, "query");
  expect(output).toBeInstanceOf(Promise);
  expect(await output).toEqual([1]);
});

test("a schema may return a thenable whose `then` returns nothing", async () => {
  // oxlint-disable-next-line unicorn/no-thenable -- the result of an untyped schema
  const result = { then: (resolve: (value: unknown) => void) => resolve({ value: 42 }) };
  const later = schema(() => result as unknown as Promise<StandardResult<number>>);
  expect(await validate(later, 1, "query")).toBe(42);
  expect(await resultOf(later, 1, "response")).toEqual({ output: 42, issues: [] });
});

test("an invalid value is a 422 whose errors have loc, msg, type and received", () => {
  const issue = { message: "Expected a number", path: ["year"], code: "invalid_type", expected: "number" };
  const error = errorOf(failing(issue), { year: "1984" });
  expect(error.status).toBe(422);
  expect(error.error).toBe("Validation Failed");
  expect(error.detail).toBe("body.year: Expected a number");
  expect(error.extras["errors"]).toEqual([
    {
      loc: ["body", "year"],
      msg: "Expected a number",
      type: "invalid_type",
      expected: "number",
      received: "string",
    },
  ]);
});

test("an asynchronous schema that fails rejects with the same 422", async () => {
  const later = schema<never>(async () => ({ issues: [{ message: "taken", path: ["name"] }] }));
  await expect(validate(later, { name: "x" }, "body")).rejects.toMatchObject({
    status: 422,
    issues: [{ loc: ["body", "name"], msg: "taken", type: "invalid", received: "string" }],
  });
});

test("an error thrown by a validator passes through unchanged", async () => {
  const bug = new TypeError("bug");
  const throwing = schema(() => {
    throw bug;
  });
  expect(() => validate(throwing, 1, "body")).toThrow(bug);
  await expect(
    validate(
      schema(() => Promise.reject(bug)),
      1,
      "body",
    ),
  ).rejects.toBe(bug);
});

test.each<[string, StandardIssue["path"], (string | number)[]]>([
  ["no path", undefined, ["body"]],
  ["plain keys", ["books", 0, "title"], ["body", "books", 0, "title"]],
  ["segment objects", [{ key: "books" }, { key: 1 }], ["body", "books", 1]],
  ["symbols", [Symbol("hidden")], ["body", "Symbol(hidden)"]],
])("a path of %s becomes the loc", (_, path, loc) => {
  expect(firstIssue({ message: "m", path })?.loc).toEqual(loc);
});

test.each<[string, Record<string, unknown>, string]>([
  ["a code, as in zod and arktype", { code: "too_small" }, "too_small"],
  ["a type, as in valibot", { kind: "validation", type: "min_length" }, "min_length"],
  ["neither code nor type", {}, "invalid"],
  ["a numeric code", { code: 7 }, "invalid"],
])("an issue with %s has the expected type", (_, vendor, type) => {
  expect(firstIssue({ message: "m", ...vendor })?.type).toBe(type);
});

test.each<[unknown, readonly PropertyKey[], string]>([
  ["x", [], "string"],
  [1, [], "number"],
  [null, [], "null"],
  [[undefined], [0], "missing"],
  [{ a: [] }, ["a"], "array"],
  [{ a: [{}] }, ["a", 0], "object"],
  [{ a: true }, ["a"], "boolean"],
  [{ a: undefined }, ["a"], "missing"],
  [{ a: 1 }, ["a", "b"], "missing"],
  [{}, ["constructor"], "missing"],
  [[], ["length"], "number"],
  [Object.assign(Object.create(null), { q: "1" }), ["q"], "string"],
])("of %j, the received kind at the path %j is %s", (value, path, kind) => {
  expect(firstIssue({ message: "m", path }, value)?.received).toBe(kind);
});

test("a library's `received` is used if it names a kind, never if it contains the value", () => {
  expect(firstIssue({ message: "m", received: "nan" }, 1)?.received).toBe("nan");
  expect(firstIssue({ message: "m", received: '"hunter2"' }, "hunter2")?.received).toBe("string");
});

test("expected is omitted unless it is a string", () => {
  expect(firstIssue({ message: "m", expected: ["a"] })).not.toHaveProperty("expected");
});

test("an error lists the first 100 issues, with messages, keys and paths truncated", () => {
  const path = [...Array<string>(80).fill("k"), "x".repeat(500)];
  const long = { message: "m".repeat(1000), path };
  const { issues } = errorOf(failing(...Array<typeof long>(250).fill(long)), {});
  expect(issues).toHaveLength(100);
  expect(issues[0]?.msg).toBe(`${"m".repeat(299)}…`);
  expect(issues[0]?.loc).toHaveLength(65);
  expect(firstIssue({ message: "m", path: ["x".repeat(500)] })?.loc[1]).toBe(`${"x".repeat(99)}…`);
});

test("truncation inside a surrogate pair leaves well-formed text", () => {
  const message = `${"m".repeat(298)}\u{1F600}${"m".repeat(10)}`;
  expect(firstIssue({ message })?.msg.isWellFormed()).toBe(true);
});

test("a list of issues that is not a plain array is read by index", () => {
  class Issues extends Array<StandardIssue> {
    override slice(): never {
      throw new Error("not supported");
    }
  }
  const issues = Issues.from([{ message: "a" }, { message: "b" }]);
  expect(
    errorOf(
      schema<never>(() => ({ issues })),
      1,
    ).issues.map(({ msg }) => msg),
  ).toEqual(["a", "b"]);
});

test("a path of a library's own array class is read item by item", () => {
  class Path extends Array<PropertyKey> {
    override map(): never {
      throw new Error("not supported");
    }
  }
  expect(firstIssue({ message: "m", path: Path.from(["a", "b"]) })?.loc).toEqual(["body", "a", "b"]);
});

test("a failure without issues is a 422", () => {
  expect(errorOf(failing(), 1)).toMatchObject({ status: 422, detail: "The input is not valid", issues: [] });
});

test("resultOf returns output or issues instead of throwing", async () => {
  expect(resultOf(doublingSchema, 1, "response")).toEqual({ output: 2, issues: [] });
  expect(resultOf(doublingSchema, "1", "response")).toEqual({
    output: undefined,
    issues: [{ loc: ["response"], msg: "Not a number", type: "invalid", received: "string" }],
  });
  const later = schema(async (value) => ({ value }));
  expect(await resultOf(later, 1, "response")).toEqual({ output: 1, issues: [] });
});
