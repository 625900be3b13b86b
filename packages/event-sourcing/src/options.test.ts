import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { EventSourcingConfig } from "./index.ts";

/** For each option, the file and name of a test in which it changes behaviour. */
const tests: Readonly<Record<keyof EventSourcingConfig, readonly [file: string, name: string]>> = {
  storeType: ["event-sourcing.test", "an in-memory store has a separate database"],
  snapshotInterval: [
    "snapshots/snapshots.test",
    "snapshotInterval is the number of events between two snapshots",
  ],
  enableSnapshots: ["snapshots/snapshots.test", "enableSnapshots: false does not read existing snapshots"],
  maxEventsPerAggregate: [
    "event-sourcing.test",
    "a stream that exceeds maxEventsPerAggregate is logged once",
  ],
  eventTtlSecs: ["event-sourcing.test", "streams without an event for eventTtlSecs are archived"],
  connectionUrl: ["event-sourcing.test", "connectionUrl opens a separate database"],
  events: ["deciders/aggregate.test", "evolve gets only the types of its decider"],
  projections: ["projections/running/wait-for.test", "waitFor resolves when the view has caught up"],
  positions: [
    "global-order/high-water-mark.int.test",
    "a server that hides its locks is refused, unless positions come from a counter row",
  ],
};

test("every option has a test", () => {
  expect(Object.keys(tests).toSorted()).toEqual(Object.keys(EventSourcingConfig.of()).toSorted());
  for (const [option, [file, name]] of Object.entries(tests)) {
    const source = readFileSync(new URL(`./${file}.ts`, import.meta.url), "utf8");
    expect([option, source.includes(`"${name}`), source.includes(option)]).toEqual([option, true, true]);
  }
});
