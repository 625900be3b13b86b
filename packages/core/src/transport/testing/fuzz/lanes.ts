import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { LimitsConfig } from "../../../config/limits-config.ts";
import { isAuthority } from "../../authority.ts";
import { FastFields } from "../../fast-fields.ts";
import { emptyFastHead, readFastHead } from "../../fast-request-head.ts";
import { createFastTransport } from "../../fast-transport.ts";
import { createNodeTransport } from "../../node-transport.ts";
import { withBoth } from "../differential.ts";
import { withStrictReader } from "../strict-comparison.ts";
import { asLlhttp, nothingMore, readStrictly } from "../strict-reader.ts";
import { type Traffic, traffic } from "../traffic.ts";

/** Looks at one connection's traffic. @throws when something differs */
export type Check = (traffic: Traffic) => Promise<void>;

/** One comparison, set up once for many connections. */
export interface Lane {
  readonly name: string;
  readonly onSockets: boolean;
  run(work: (check: Check) => Promise<void>): Promise<void>;
}

const limits = LimitsConfig.of();
const head = emptyFastHead();

/** What the own parser takes, the letter of the standard takes too and reads alike, the end of the message included. */
export const checkFastHead: Check = ({ pieces }) => {
  const text = pieces.join("");
  const bytes = Buffer.from(text, "latin1");
  for (let at = 0; at < bytes.length;) {
    const end = readFastHead(bytes, at, limits, head);
    if (end < 0) break;
    const { method, targetStart, targetEnd, hostStart, hostEnd, fieldsStart, fieldsEnd, bodyLength } = head;
    const authority = text.slice(hostStart, hostEnd);
    if (!isAuthority(authority)) break;
    const target = text.slice(targetStart, targetEnd);
    const fields = new FastFields(bytes, fieldsStart, fieldsEnd).toList();
    const body = "b".repeat(bodyLength);
    assert.deepEqual(readStrictly(text.slice(at, end) + body, nothingMore), {
      requests: [{ method, target, authority, fields, body }],
      end: "open",
    });
    at = end + bodyLength;
  }
  return Promise.resolve();
};

/** Every comparison: the transports with each other, each with the letter of the standard, and the own parser alone. */
export const lanes: readonly Lane[] = [
  { name: "fast and node", onSockets: true, run: (work) => withBoth(createFastTransport, createNodeTransport, work) },
  { name: "fast and standard", onSockets: true, run: (work) => withStrictReader(createFastTransport, asLlhttp, work) },
  { name: "node and standard", onSockets: true, run: (work) => withStrictReader(createNodeTransport, asLlhttp, work) },
  { name: "parser and standard", onSockets: false, run: (work) => work(checkFastHead) },
];

/** What a run over one lane found. */
export interface LaneCount {
  connections: number;
  messages: number;
  differences: number;
}

const batchRuns = 500;

/** Sends random traffic over a lane until `isOver`, in batches with a seed each, and tells every difference with its smallest traffic. */
export const fuzzLane = (
  lane: Lane,
  seed: number,
  isOver: () => boolean,
  count: LaneCount,
  tell: (text: string) => void,
): Promise<void> =>
  lane.run(async (check) => {
    const property = fc.asyncProperty(traffic, async (given) => {
      if (isOver()) return;
      count.connections++;
      count.messages += readStrictly(given.pieces.join(""), asLlhttp).requests.length;
      await check(given);
      if (!lane.onSockets && count.connections % 20 === 0) await setTimeout(8); // most of the time is for those with sockets
    });
    for (let batch = 0; !isOver() && count.differences < maxDifferences; batch++) {
      const details = await fc.check(property, { seed: seed + batch, numRuns: batchRuns });
      if (!details.failed) continue;
      count.differences++;
      tell(asCase(lane.name, seed + batch, details.counterexample?.[0], details.errorInstance));
    }
  });

/** A lane with so many of them needs somebody to look at it, and no more cases. */
const maxDifferences = 20;

const asCase = (lane: string, seed: number, found: Traffic | undefined, error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  return `${lane}, seed ${seed}:\n${message}\nfor found-cases.ts:\n  { name: "…", ${JSON.stringify(found).slice(1)},\n`;
};
