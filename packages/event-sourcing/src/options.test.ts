import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { EventSourcingConfig } from "./index.ts";

/** The test in which each option changes behaviour: its file, and its name. */
const tests: Readonly<Record<keyof EventSourcingConfig, readonly [file: string, name: string]>> = {
  storeType: ["event-sourcing.test", "a store in memory is its own"],
  snapshotInterval: [
    "snapshots/snapshots.test",
    "snapshotInterval is the number of events to the next snapshot",
  ],
  enableSnapshots: ["snapshots/snapshots.test", "enableSnapshots: false reads no snapshot that is there"],
  maxEventsPerAggregate: ["event-sourcing.test", "a stream that passes maxEventsPerAggregate is logged once"],
  eventTtlSecs: ["event-sourcing.test", "streams without an event for eventTtlSecs are archived"],
  connectionUrl: ["event-sourcing.test", "connectionUrl opens a database of the store's own"],
  events: ["deciders/aggregate.test", "evolve does not get other types of the store"],
  projections: ["projections/running/wait-for.test", "waitFor ends when the view is there"],
  positions: [
    "global-order/high-water-mark.int.test",
    "a server that hides its locks is refused, unless positions are counted",
  ],
};

test("every option changes behaviour in a test", () => {
  expect(Object.keys(tests).toSorted()).toEqual(Object.keys(EventSourcingConfig.of()).toSorted());
  for (const [option, [file, name]] of Object.entries(tests)) {
    const source = readFileSync(new URL(`./${file}.ts`, import.meta.url), "utf8");
    expect([option, source.includes(`"${name}`), source.includes(option)]).toEqual([option, true, true]);
  }
});
