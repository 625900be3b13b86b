import { expect, test } from "@jest/globals";
import { Response } from "@framework/core";
import { createFastTransport, createNodeTransport } from "@framework/core/testing";
import { withBoth } from "./differential.ts";
import { foundCases } from "./found-cases.ts";
import { fuzzLane, emptyCount, replay } from "./fuzz-lane.ts";
import { type Lane, lanes } from "./lanes.ts";
import { withStrictReader } from "./strict-comparison.ts";
import { asLlhttp } from "./strict-reader.ts";
import type { MakeTransport } from "../harness/test-server.ts";

/**
 * Connections per lane with sockets: enough to notice a broken transport. Rare cases need new seeds, which could fail a run without any change:
 * `fuzz/main.ts --minutes 60` searches for them.
 */
const CONNECTIONS = Number(process.env["FRAMEWORK_FUZZ_CONNECTIONS"] ?? 250);
const seed = 9112;

const fuzz = async (chosen: readonly Lane[], connections: number): Promise<string[]> => {
  const reports: string[] = [];
  const work = chosen.map((lane) =>
    fuzzLane(lane, {
      seed,
      count: emptyCount(),
      hasTimedOut: () => reports.length > 0,
      maxDifferences: 1,
      maxConnections: lane.onSockets ? connections : connections * 10,
      report: (text) => void reports.push(text),
    }),
  );
  await Promise.all(work);
  return reports;
};

test("both transports and an independent parser of the standard agree on random traffic", async () => {
  expect(await fuzz(lanes, CONNECTIONS)).toEqual([]);
});

test.each(foundCases)(
  "both transports and the independent parser agree on a previously found case: $name",
  async (found) => {
    expect(await replay(lanes, found)).toEqual(new Map());
  },
);

/** A planted fault: a transport that drops a field if there are many. */
const droppingFields: MakeTransport = (options) =>
  createNodeTransport({
    ...options,
    serve: (source) => options.serve(Object.create(source, { fields: { value: source.fields.slice(0, 4) } })),
  });

/** A planted fault: a transport that replies to every PUT with 500. */
const failingPuts: MakeTransport = (options) =>
  createFastTransport({
    ...options,
    serve: (source) =>
      source.method === "PUT" ? Response.text("no", { status: 500 }) : options.serve(source),
  });

const faultyLanes: readonly Lane[] = [
  {
    name: "the requests of the app",
    onSockets: true,
    run: (work) => withStrictReader(droppingFields, asLlhttp, work),
  },
  { name: "the replies", onSockets: true, run: (work) => withBoth(failingPuts, createNodeTransport, work) },
];

test.each(faultyLanes)(
  "a planted fault in $name is found, and reported with short traffic that reproduces it",
  async (lane) => {
    const reports = await fuzz([lane], Infinity); // stops at the first difference
    expect(reports).toHaveLength(1);
    const [, json = ""] = /--replay '(.*)'/.exec(reports[0] ?? "") ?? [];
    expect(json.length).toBeLessThan(300);
    expect((await replay([lane], JSON.parse(json))).size).toBe(1);
  },
);
