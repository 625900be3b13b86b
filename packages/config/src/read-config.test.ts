import { ConfigurationError } from "@framework/core";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import {
  checked,
  type ConfigShape,
  decimal,
  flag,
  integer,
  list,
  oneOf,
  optional,
  readConfig,
  secret,
  text,
  url,
} from "./index.ts";
import { problemsOf, read } from "./read-config.test-kit.ts";

test("returns a typed, deeply frozen record, including nested records", () => {
  const config = read(
    {
      port: integer("PORT", { default: 8000, min: 1, max: 65_535 }),
      ratio: decimal("RATIO"),
      database: { url: url("DATABASE_URL"), hosts: list("HOSTS"), debug: flag("DEBUG", { default: false }) },
      level: oneOf("LEVEL", ["debug", "info"], { default: "info" }),
      name: optional(text("NAME")),
      since: checked("SINCE", z.iso.date()),
    },
    { RATIO: "2.5e-1", DATABASE_URL: "sqlite://:memory:", HOSTS: " a , b", DEBUG: "ON", SINCE: "2026-01-31" },
  );
  expect(config).toEqual({
    port: 8000,
    ratio: 0.25,
    database: { url: "sqlite://:memory:", hosts: ["a", "b"], debug: true },
    level: "info",
    name: undefined,
    since: "2026-01-31",
  });
  expect([config, config.database, config.database.hosts].every(Object.isFrozen)).toBe(true);
});

test("reports every problem in one error of core, each with its name and remedy", () => {
  const shape = {
    port: integer("PORT", { max: 10 }),
    token: secret("TOKEN", { meaning: "signs tokens" }),
    nested: { level: oneOf("LEVEL", ["debug", "info"]), origin: url("ORIGIN", { schemes: ["https"] }) },
  };
  const env = { PORT: "0x1", LEVEL: "loud", ORIGIN: "http://a" };
  expect(problemsOf(shape, { env })).toEqual([
    'CONFIG_INVALID: PORT must be a whole number of at most 10, but is "0x1" (the environment)',
    "CONFIG_MISSING: TOKEN is missing (signs tokens): set it to a secret, or TOKEN_FILE to a file with it",
    'CONFIG_INVALID: LEVEL must be one of debug, info, but is "loud" (the environment)',
    'CONFIG_INVALID: ORIGIN must be a URL with https://, but is "http://a" (the environment)',
  ]);
  expect(() => readConfig(shape, { env })).toThrow(ConfigurationError);
});

test("an empty variable counts as not set", () => {
  expect(read({ port: integer("PORT", { default: 1 }) }, { PORT: "" })).toEqual({ port: 1 });
});

test.each([
  [integer("A"), "-1"],
  [integer("A"), "1.0"],
  [integer("A"), "9007199254740993"],
  [integer("A"), "Infinity"],
  [decimal("A"), "."],
  [decimal("A", { max: 1 }), "1.01"],
  [decimal("A", { min: -1 }), "NaN"],
  [flag("A"), "maybe"],
  [list("A"), "a,,b"],
  [list("A", { maxItems: 1 }), "a,b"],
  [list("A", { isItem: (item) => item.startsWith("a") }), "a,b"],
  [url("A"), "localhost:80"],
  [url("A"), "http://"],
  [url("A"), "http://a:port"],
  [url("A"), "redis://a b"],
  [checked("A", z.string().length(3)), "ab"],
  [
    checked(
      "A",
      z.string().refine(async () => true),
    ),
    "ab",
  ],
])("%# refuses a malformed value", (setting, value) => {
  expect(problemsOf({ setting }, { env: { A: value } })).toHaveLength(1);
});

test("a schema's output is the value, and its default is an output", () => {
  const days = z.string().transform((value) => ({ days: Number(value) }));
  expect(read({ wait: checked("WAIT", days) }, { WAIT: "3" })).toEqual({ wait: { days: 3 } });
  expect(read({ wait: checked("WAIT", days, { default: { days: 9 } }) })).toEqual({ wait: { days: 9 } });
});

test("problems of the definition and of the environment are reported together", () => {
  const shape = {
    port: integer("PORT", { default: 0, min: 1 }),
    again: text("PORT", { default: "" }),
    path: text("PORT_FILE", { default: "" }),
    bad: text("a-b", { default: "" }),
    level: integer("LEVEL"),
    both: optional(integer("BOTH", { default: 1 })),
    twice: optional(optional(integer("TWICE"))),
  };
  expect(problemsOf(shape, { env: {} })).toEqual([
    "CONFIG_BAD_SETTING: the default of PORT must be a whole number of at least 1",
    "CONFIG_BAD_SETTING: two settings use the variable PORT: rename one",
    "CONFIG_BAD_SETTING: two settings use the variable PORT_FILE: rename one",
    "CONFIG_BAD_SETTING: two settings use the variable PORT_FILE: rename one",
    'CONFIG_BAD_SETTING: "a-b" is not a valid variable name: use at most 200 letters, digits and _, not starting with a digit',
    "CONFIG_BAD_SETTING: the default of BOTH has no effect within optional: remove one of the two",
    "CONFIG_MISSING: LEVEL is missing: set it to a whole number of at least 0, or LEVEL_FILE to a file with it",
  ]);
});

test("a list default that does not round-trip as text is a problem", () => {
  const shape = {
    hosts: list("HOSTS", { default: ["a,b", "c"] }),
    names: list("NAMES", { default: ["a,b", "c"], separator: ";" }),
    empty: list("EMPTY", { default: [] }),
  };
  expect(problemsOf(shape, { env: {} })).toEqual([
    'CONFIG_BAD_SETTING: the default of HOSTS cannot be written as text: "a,b,c" has the items ["a","b","c"]',
  ]);
});

test("checks of several settings are reported with other problems, and skipped for invalid settings", () => {
  const shape = {
    user: optional(text("USER_NAME")),
    password: optional(secret("PASSWORD")),
    rate: integer("RATE", { default: 1 }),
  };
  const checks = [
    (config: { user: string | undefined; password: unknown }) =>
      (config.user === undefined) === (config.password === undefined) ? null : "set both or neither",
    (config: { rate: number }) => (config.rate > 0 ? "never reached" : null),
  ];
  expect(problemsOf(shape, { env: { USER_NAME: "ann", RATE: "many" }, checks })).toEqual([
    'CONFIG_INVALID: RATE must be a whole number of at least 0, but is "many" (the environment)',
    "CONFIG_CHECK: set both or neither",
  ]);
  expect(problemsOf(shape, { env: {}, checks: [checks[0] ?? (() => null)] })).toEqual([]);
});

test("an error inside a check is reported with the other problems, and is the cause of the ConfigurationError", () => {
  const broken = new RangeError("out of reach");
  const bounds = (): null => {
    throw broken;
  };
  let error: unknown;
  try {
    readConfig({ rate: integer("RATE") }, { env: {}, checks: [bounds, () => "set both or neither"] });
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({
    name: "ConfigurationError",
    problems: [
      { code: "CONFIG_MISSING" },
      { code: "CONFIG_CHECK", message: "bounds threw: out of reach" },
      { code: "CONFIG_CHECK", message: "set both or neither" },
    ],
  });
  expect((error as Error).cause).toBe(broken);
});

test("a check that returns nothing passes, and one that returns a value other than a string is reported", () => {
  const shape = { rate: integer("RATE", { default: 1 }) };
  const nothing = () => {};
  expect(problemsOf(shape, { env: {}, checks: [nothing as never] })).toEqual([]);
  async function later() {
    return null;
  }
  expect(problemsOf(shape, { env: {}, checks: [later as never] })).toEqual([
    "CONFIG_CHECK: later must return a problem as a string, or null, not a promise; return the value itself",
  ]);
});

test("a schema that throws or is asynchronous is a problem, and causes no unhandled rejection", () => {
  const zod = checked(
    "FLAGS",
    z.string().transform((value): unknown => JSON.parse(value)),
  );
  const thrower = checked("PLAIN", {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: () => {
        throw new Error("boom");
      },
    },
  });
  const later = checked(
    "LATER",
    z.string().refine(async () => true),
  );
  const env = { FLAGS: "{oops", PLAIN: "x", LATER: "x" };
  expect(problemsOf({ zod, thrower, later }, { env })).toEqual([
    'CONFIG_INVALID: FLAGS must pass its schema, which is asynchronous or threw (use a synchronous one that reports mistakes as issues), but is "{oops" (the environment)',
    'CONFIG_INVALID: PLAIN must pass its schema, which threw: boom, but is "x" (the environment)',
    'CONFIG_INVALID: LATER must pass its schema, which is asynchronous or threw (use a synchronous one that reports mistakes as issues), but is "x" (the environment)',
  ]);
  expect(read({ zod }, { FLAGS: "[1]" })).toEqual({ zod: [1] });
});

test("fields and variables may have the names of Object's members", () => {
  const shape = { ["__proto__"]: text("constructor"), toString: optional(text("toString")) };
  const config = read(shape, { constructor: "a" });
  expect(Object.entries(config)).toEqual([
    ["__proto__", "a"],
    ["toString", undefined],
  ]);
});

test.each<[string, unknown, unknown, string]>([
  [
    "a name in place of a setting",
    { a: "PORT" },
    {},
    'a is of type string; use a setting, such as text("NAME")',
  ],
  [
    "undefined in a nested record",
    { db: { url: undefined } },
    {},
    "db.url is of type undefined; use a setting",
  ],
  ["a list", { hosts: [text("HOST", { default: "" })] }, {}, "hosts is a list; use a setting"],
  ["an undefined shape", undefined, {}, "the shape is of type undefined; use a record of settings"],
  [
    "a misspelt option",
    {},
    { ignored: [] },
    'the options object of readConfig has no field "ignored"; did you mean "ignore"?',
  ],
  [
    "a misspelt option of a setting",
    { port: integer("PORT", { defualt: 1, default: 1 } as object) },
    {},
    'the options object of the setting PORT has no field "defualt"; did you mean "default"?',
  ],
  [
    "a default of a secret",
    { token: secret("TOKEN", { default: "abc" } as object) },
    { env: { TOKEN: "abcd" } },
    'the options object of the setting TOKEN has no field "default"',
  ],
  [
    "a misspelt option of a secret",
    { token: secret("TOKEN", { minLenght: 3 } as object) },
    { env: { TOKEN: "abcd" } },
    'the options object of the setting TOKEN has no field "minLenght"; did you mean "minLength"?',
  ],
])("%s is a problem of the definition", (_, shape, options, message) => {
  expect(problemsOf(shape as ConfigShape, { env: {}, ...(options as object) })).toEqual([
    expect.stringContaining(`CONFIG_BAD_SETTING: ${message}`),
  ]);
});
