import { inspect } from "node:util";
import { expect, test } from "@jest/globals";
import type { StandardSchema } from "@framework/core";
import {
  checked,
  configSources,
  configSummary,
  integer,
  list,
  optional,
  Secret,
  secret,
  text,
  url,
} from "./index.ts";
import { problemsOf, read } from "./read-config.test-kit.ts";

const anything: StandardSchema = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) },
};

test("a secret is never printed", () => {
  const hidden = new Secret("hunter2");
  const prints = [
    JSON.stringify({ hidden }),
    String(hidden),
    `${hidden as unknown as string}`,
    "".concat(hidden as unknown as string),
    inspect({ hidden }, { showHidden: true, depth: null }),
    inspect(hidden, { customInspect: false, showHidden: true }),
    inspect(structuredClone(hidden), { showHidden: true }),
    JSON.stringify(Object.getOwnPropertyDescriptors(hidden)),
    JSON.stringify(Object.assign({}, hidden)),
    new Error(`x ${hidden as unknown as string}`).message,
  ];
  expect(prints.filter((print) => print.includes("hunter2"))).toEqual([]);
  expect(prints.slice(0, 4)).toEqual(['{"hidden":"[redacted]"}', "[redacted]", "[redacted]", "[redacted]"]);
  expect(hidden.reveal()).toBe("hunter2");
});

test("the problem of a secret does not contain any part of its value", () => {
  const shape = { token: secret("TOKEN", { minLength: 12 }) };
  expect(problemsOf(shape, { env: { TOKEN: "hunter2" } })).toEqual([
    "CONFIG_INVALID: TOKEN must be a secret of at least 12 characters, but has 7 (the environment)",
  ]);
});

test.each([
  ["postgres://ann:p@ss/wrd@db:5432/books?sslpassword=x", '"postgres://…@db:5432/books?…"'],
  ["postgres://ann:p@ss/w?rd#@db:5432/books", '"postgres://…"'],
  ["postgres://db/books?user=ann&password=p@ss", '"postgres://…"'],
  ["https://hooks.example/send?from=ops@example.com&token=x", '"https://…"'],
  ["https://hooks.example/send#token=x@y", '"https://…"'],
  ["redis://:secret@cache", '"redis://…@cache"'],
  ["sqlite://framework.db", '"sqlite://framework.db"'],
])("the summary shows %s without credentials", (value, shown) => {
  const config = read({ url: url("URL") }, { URL: value });
  expect(configSources(config)).toEqual([{ name: "URL", source: "environment", shown }]);
});

test.each([
  ["amqp://u:hunter2@h1,amqp://u:hunter2@h2", '"amqp://…@h1,amqp://…@h2"'],
  ["h1:5672, _amqp://u:hunter2@h2/a?hunter2 ,h3", '"h1:5672, _amqp://…@h2/a?… ,h3"'],
  [`https://u:${"hunter2".repeat(20)}@h`, '"https://…@h"'],
])("URLs within another setting are shown without credentials: %s", (value, shown) => {
  const shape = { list: list("LIST"), text: text("TEXT"), checked: checked("CHECKED", anything) };
  const config = read(shape, { LIST: value, TEXT: value, CHECKED: value });
  expect(configSources(config).map((source) => source.shown)).toEqual([shown, shown, shown]);
  const refused = { list: list("LIST", { isItem: () => false }) };
  expect(problemsOf(refused, { env: { LIST: value } })[0]).toContain(`but is ${shown} (`);
});

test("a refused URL is shown without credentials, and not at all without a scheme", () => {
  const shape = { url: url("URL", { schemes: ["redis"] }) };
  expect(problemsOf(shape, { env: { URL: "amqp://ann:pass@host" } })).toEqual([
    'CONFIG_INVALID: URL must be a URL with redis://, but is "amqp://…@host" (the environment)',
  ]);
  expect(problemsOf(shape, { env: { URL: "ann:pass@host" } })[0]).toMatch(/but is \[not a URL, hidden\]/);
});

test("the summary has a line for each setting with its value and source", () => {
  const shape = {
    port: integer("PORT", { default: 1 }),
    token: secret("TOKEN"),
    name: optional(text("NAME")),
  };
  expect(configSummary(read(shape, { TOKEN: "abc" })).split("\n")).toEqual([
    'PORT   "1"  default',
    "TOKEN  [redacted]  environment",
    "NAME   (not set)  default",
  ]);
});

test("a copy of a configuration has no sources", () => {
  const config = read({ port: integer("PORT", { default: 1 }) });
  expect(() => configSources({ ...config })).toThrow("pass the record that readConfig returned");
});
