import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { ClusterConfig, LimitsConfig, TimeoutConfig } from "../index.ts";

const page = readFileSync(new URL("../../docs/running.md", import.meta.url), "utf8");
const records = { limits: LimitsConfig, timeouts: TimeoutConfig, cluster: ClusterConfig };

const rows = Array.from(
  page.matchAll(/^\| `(limits|timeouts|cluster)\.(\w+)` +\|.*\| (.*?) +\| `(.*?)` +\|$/gm),
  ([, record = "", field = "", range = "", initial = ""]) => ({ record, field, range, initial }),
);

test("docs/running.md lists every field of the records with its default", () => {
  const documented = rows.map(({ record, field, initial }) => [`${record}.${field}`, initial]);
  const actual = Object.entries(records).flatMap(([name, record]) =>
    Object.entries(record.of()).map(([field, initial]) => [
      `${name}.${field}`,
      initial === undefined ? "undefined" : JSON.stringify(initial),
    ]),
  );
  expect(documented).toEqual(actual);
});

const ranges = rows.flatMap(({ record, field, range }) => {
  const [, min, max] = /^(?:from )?([\d.]+)(?: to ([\d.]+))?$/.exec(range) ?? [];
  return min === undefined
    ? []
    : [{ record, field, min: Number(min), max: max === undefined ? null : Number(max) }];
});

test.each(ranges)("$record.$field accepts exactly the documented range", ({ record, field, min, max }) => {
  const problems = (value: number): number =>
    (
      records[record as keyof typeof records].read({ [field]: value } as never) as {
        problems: readonly string[];
      }
    ).problems.length;
  expect([problems(min), problems(min - 0.01)]).toEqual([0, 1]);
  expect(max === null ? [0, 1] : [problems(max), problems(max + 1)]).toEqual([0, 1]);
});
