import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { MAX_SERIES } from "./metrics/request-meter.ts";
import { MAX_BAGGAGE_BYTES, MAX_BAGGAGE_MEMBERS } from "./propagation/baggage.ts";
import { MAX_ATTRIBUTE } from "./redaction/redact.ts";
import { OpenTelemetryConfig } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

test("the README's table has every option with its default", () => {
  const rows = [...readme.matchAll(/^\| `(\w+)` +\|[^|]*\| (?:`([^|]*)`|unset) +\|[^|]*\|$/gm)];
  const defaults = rows.map(([, name = "", value]) => [
    name,
    value === undefined ? undefined : (JSON.parse(value) as unknown),
  ]);
  expect(Object.fromEntries(defaults)).toEqual(OpenTelemetryConfig.of());
  expect(rows.map(([, name]) => name)).toEqual(Object.keys(OpenTelemetryConfig.of()));
});

test("the README states the limits", () => {
  for (const limit of [MAX_ATTRIBUTE, MAX_BAGGAGE_BYTES, MAX_BAGGAGE_MEMBERS, MAX_SERIES])
    expect(readme).toContain(limit.toLocaleString("en"));
});
