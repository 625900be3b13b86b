import { readFileSync } from "node:fs";
import { capabilityColumn, capabilityRows } from "@framework/messaging/testing";
import { expect, test } from "@jest/globals";
import { rabbitmqBroker, RabbitMQConfig } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const rowsUnder = (heading: string): readonly (readonly string[])[] =>
  (readme.split(`## ${heading}\n\n`)[1]?.split("\n\n")[0] ?? "")
    .split("\n")
    .slice(2)
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split(/ +\| +|^\| +| +\|$/).slice(1, -1));

test("the README's table has every option with its default", () => {
  const documented = rowsUnder("Options").map(([name = "", , value = ""]) => [
    name.replaceAll("`", ""),
    value === "–" ? undefined : (JSON.parse(value.replaceAll("`", "")) as unknown),
  ]);
  expect(Object.fromEntries(documented)).toEqual(RabbitMQConfig.of());
});

test("the capability table in the README of messaging has the capabilities of RabbitMQ", () => {
  const shared = readFileSync(new URL("../../messaging/README.md", import.meta.url), "utf8");
  expect(capabilityColumn(shared, "RabbitMQ")).toEqual(capabilityRows(rabbitmqBroker({})));
});
