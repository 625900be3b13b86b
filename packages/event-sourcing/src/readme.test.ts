import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { EventSourcingConfig, openEventStore } from "./index.ts";
import * as limits from "./limits.ts";
import { MAX_TIMEOUT_MS, MAX_WAITS } from "./projections/running/wait-for.ts";
import { APPLY_TIMEOUT_SECS } from "./projections/shards/own-shard.ts";
import { MAX_PAGE } from "./reading/page-size.ts";
import { MAX_SNAPSHOT_BYTES } from "./snapshots/snapshots.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const section = (title: string): string => readme.split(`## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
const rows = (title: string): string[][] =>
  section(title)
    .split("\n")
    .filter((line) => line.startsWith("|") && !line.startsWith("| -"))
    .slice(1)
    .map((line) =>
      line
        .slice(1, -1)
        .split(" | ")
        .map((cell) => cell.trim()),
    );

test("the table of options lists every field with its default", () => {
  const documented = rows("Options").map(([name = "", , value = ""]) => [
    name.replaceAll("`", ""),
    value === "–" ? undefined : (JSON.parse(value.replaceAll("`", "")) as unknown),
  ]);
  expect(Object.fromEntries(documented)).toEqual(EventSourcingConfig.of());
});

test("the table of calls lists every method of the store", async () => {
  await using store = await openEventStore({ storeType: "memory" });
  const named = rows("Streams").flatMap(([call = ""]) =>
    Array.from(call.matchAll(/`(\w+)\(/g), ([, name]) => name),
  );
  const otherMembers = ["close", "snapshotsTaken", "db", "projections", "parked"]; // not methods of `EventStore`
  expect(new Set(named)).toEqual(new Set(Object.keys(store).filter((name) => !otherMembers.includes(name))));
});

test("the table of limits matches the sources", () => {
  const numbers = (text: string): number[] =>
    Array.from(text.matchAll(/(\d[\d,]*)( [KM]iB)?/g), ([, digits = "", unit = ""]) => {
      const factor = unit === " KiB" ? 1024 : unit === " MiB" ? 1024 ** 2 : 1;
      return Number(digits.replaceAll(",", "")) * factor;
    });
  const documented = new Map(rows("Limits").map(([name = "", limit = ""]) => [name, numbers(limit)]));
  const { MAX_STREAM_NAME, MAX_NAME, MAX_EVENT_BYTES, MAX_METADATA_BYTES } = limits;
  expect(documented.get("name of a stream")).toEqual([MAX_STREAM_NAME]);
  expect(documented.get("name of a type, tenant, subject; id of an event")).toEqual([MAX_NAME]);
  expect(documented.get("data of one event")).toEqual([MAX_EVENT_BYTES]);
  expect(documented.get("metadata of one event")).toEqual([MAX_METADATA_BYTES]);
  expect(documented.get("one append")).toEqual([
    limits.MAX_BATCH,
    limits.MAX_STREAMS,
    limits.MAX_BATCH_BYTES,
  ]);
  expect(documented.get("events that one stored event becomes")).toEqual([limits.MAX_PARTS]);
  expect(documented.get("one batch of `readAll`")).toEqual([MAX_PAGE]);
  expect(documented.get("newer events of a `ConflictError`")).toEqual([limits.MAX_NEWER_EVENTS]);
  expect(documented.get("one snapshot")).toEqual([MAX_SNAPSHOT_BYTES]);
  expect(documented.get("events of `rebuildPart`")).toEqual([limits.MAX_PART_EVENTS, APPLY_TIMEOUT_SECS]);
  expect(documented.get("concurrent calls of `waitFor`")).toEqual([MAX_WAITS, 503]);
  expect(documented.get("wait of `waitFor`")).toEqual([MAX_TIMEOUT_MS]);
});
