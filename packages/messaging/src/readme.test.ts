import { readFileSync } from "node:fs";
import type { Kernel } from "@framework/durable/feature";
import { expect, test } from "@jest/globals";
import { capabilityColumn, capabilityRows } from "./contract/capability-rows.ts";
import { databaseBroker } from "./database/database-broker.ts";
import { memoryBroker } from "./index.ts";
import { MessagingConfig } from "./messaging-config.ts";
import { subscriptionSpec } from "./subscribe/subscription-spec.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

/** Rows of the table that begins with a heading. */
const rowsUnder = (heading: string): readonly (readonly string[])[] =>
  (readme.split(`| ${heading} `)[1]?.split("\n\n")[0] ?? "")
    .split("\n")
    .slice(2)
    .map((line) => line.split(" | ").map((cell) => cell.replaceAll(/^\||\|$/g, "").trim()));

test("the README's table has every option of enableMessaging with its default", () => {
  const documented = rowsUnder("`MessagingConfig`").map(([name = "", , value = ""]) => [
    name.replaceAll("`", ""),
    value === "–" ? undefined : (JSON.parse(value.replaceAll("`", "")) as unknown),
  ]);
  expect(Object.fromEntries(documented)).toEqual(MessagingConfig.of());
});

test("the README's table has the defaults of a subscription", () => {
  const { spec } = subscriptionSpec("books", { group: "a" }, { kind: "single", handle: () => {} });
  const defaults: Readonly<Record<string, unknown>> = { ...spec, raw: spec.isRaw };
  const rows = rowsUnder("Option of `subscribe`").filter(([, , value = ""]) => value.startsWith("`"));
  const plain = rows.filter(([name]) => name !== "`deadLetter`");
  expect(plain.length).toBeGreaterThan(5);
  for (const [name = "", , value = ""] of plain)
    expect([name, JSON.parse(value.replaceAll("`", ""))]).toEqual([name, defaults[name.replaceAll("`", "")]]);
  expect([spec.retry, spec.maxTries]).toEqual([
    { quickTries: 3, quickDelayMs: 100, delaysMs: [5000, 30_000, 120_000, 600_000], jitter: 0.2 },
    7,
  ]);
});

test("the README's capability table matches the database and the in-memory broker", () => {
  const kernel = { use: () => ({ tables: () => ({ work: { useTable() {} } }) }) } as unknown as Kernel;
  expect(capabilityColumn(readme, "database")).toEqual(capabilityRows(databaseBroker(kernel)));
  expect(capabilityColumn(readme, "memory")).toEqual(capabilityRows(memoryBroker()));
});
