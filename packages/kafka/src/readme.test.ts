import { readFileSync } from "node:fs";
import { capabilityColumn, capabilityRows } from "@framework/messaging/testing";
import { expect, test } from "@jest/globals";
import { kafkaBroker, KafkaConfig } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const partOf = (heading: string): string => readme.split(`## ${heading}\n\n`)[1]?.split("\n## ")[0] ?? "";

test("the README's table has every option with its default", () => {
  const rows = [...partOf("Options").matchAll(/^\| `(\w+)` +\|.*\| (\S.*?) +\|$/gm)].slice(1);
  const documented = rows.map(([, name = "", value = ""]) => [
    name,
    value === "–" ? undefined : (JSON.parse(value.replaceAll("`", "")) as unknown),
  ]);
  expect(Object.fromEntries(documented)).toEqual(KafkaConfig.of());
  expect(documented.map(([name]) => name)).toEqual(Object.keys(KafkaConfig.of()));
});

test("the capability table in the README of messaging has the capabilities of Kafka", () => {
  const shared = readFileSync(new URL("../../messaging/README.md", import.meta.url), "utf8");
  expect(capabilityColumn(shared, "Kafka")).toEqual(capabilityRows(kafkaBroker({})));
});
