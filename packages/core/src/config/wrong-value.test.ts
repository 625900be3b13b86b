import { expect, test } from "@jest/globals";
import { pathPrefixes } from "../routing/path-prefix.ts";
import { configRecord } from "./config-record.ts";
import { checked, integer, list, optional, secret, text } from "./field-rules.ts";

const hasOnlyTexts = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((each) => typeof each === "string");
const isAscending = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each, index) => index === 0 || value[index - 1] < each);

const Config = configRecord<{
  readonly port: number;
  readonly hosts: readonly string[];
  readonly bounds: readonly number[];
  readonly labels: object;
  readonly exempt: readonly string[];
  readonly keys: readonly string[];
  readonly name: string | undefined;
}>("Config", {
  port: integer(1),
  hosts: list<string>([], "hosts", (value) => value === "a" || value === "b"),
  bounds: checked([], "in ascending order", isAscending),
  labels: checked({}, "texts", hasOnlyTexts),
  exempt: pathPrefixes,
  keys: secret(list<string>([], "keys", () => false)),
  name: optional(text("")),
});

const messageOf = (input: unknown): string => Config.read(input as object).problems.join("\n");

test.each([
  [{ hosts: ["a", "c", "b", 5] }, 'must be a list of hosts, but hosts[1] is "c", hosts[3] is 5'],
  [{ hosts: "a" }, 'must be a list of hosts, but is "a"'],
  [{ hosts: ["https://ann:pw@host"] }, 'but hosts[0] is "https://…@host"'],
  [{ hosts: ["https://ann:p@w@host/a"] }, 'but hosts[0] is "https://…@host/a"'],
  [{ hosts: [["a"], {}, () => 1] }, 'hosts[0] is ["a"], hosts[1] is an object, hosts[2] is a function'],
  [{ bounds: [1, 3, 2] }, "must be in ascending order, but is [1, 3, 2]"],
  [{ bounds: [7, 6, 5, 4, 3, 2, 1] }, "but is [7, 6, 5, 4, 3, and 2 more]"],
  [{ labels: { a: "x", b: 1 } }, "must be texts, but labels.b does not fit"],
  [{ labels: { "a b": 1 } }, 'must be texts, but labels["a b"] does not fit'],
  [{ labels: { a: 1, b: 2 } }, "must be texts, but is an object"],
  [{ name: new Date(0) }, "must be a non-empty string, but is an object"],
])("a message names the invalid part: %j", (input, expected) => {
  expect(messageOf(input)).toContain(expected);
});

test("a message about a secret omits the value; a rule with namesParts writes the whole message", () => {
  expect(messageOf({ keys: ["opensesame"] })).toBe("Config.keys must be a list of keys");
  expect(messageOf({ exempt: ["/a/"] })).toMatch(
    /"\/a\/" ends in a slash, so it would cover only itself; remove it$/,
  );
  expect(messageOf({ exempt: 5 })).toMatch(/must be a list of paths such as "\/health", but is 5$/);
});

test("a record that is not a plain object is one problem", () => {
  for (const input of [null, 0, true, "x", [1], new Date(0), new Map(), () => 1, Object.create({ port: 2 })])
    expect(messageOf(input)).toMatch(/^Config must be an object with fields, but is .*$/);
  expect(messageOf(8080)).toBe(
    "Config must be an object with fields, but is 8080; pass it as a field: { port: … }",
  );
  expect([messageOf({}), messageOf(Object.create(null)), messageOf(undefined)]).toEqual(["", "", ""]);
});
