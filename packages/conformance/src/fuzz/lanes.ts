import assert from "node:assert/strict";
import { LimitsConfig } from "@framework/core";
import { createFastTransport, createNodeTransport, emptyFastHead, FastInput } from "@framework/core/testing";
import { inBatches } from "../harness/in-batches.ts";
import { withBoth } from "./differential.ts";
import { withStrictReader } from "./strict-comparison.ts";
import { asLlhttp, noDeviations, readStrictly } from "./strict-reader.ts";
import type { Traffic } from "./traffic.ts";

/** Compares one connection's traffic. @throws for a difference */
export type Check = (traffic: Traffic) => Promise<void>;

/** One comparison, set up once for many connections. */
export interface Lane {
  readonly name: string;
  readonly onSockets: boolean;
  /** `accept` is called with the name of each explained difference. */
  run(work: (check: Check) => Promise<void>, accept?: (difference: string) => void): Promise<void>;
}

/** Every comparison: the transports with each other and, in batches, with the standard; the framework's parser with the standard. */
export const lanes: readonly Lane[] = [
  {
    name: "fast and node",
    onSockets: true,
    run: (work, accept) => withBoth(createFastTransport, createNodeTransport, work, accept),
  },
  {
    name: "fast in batches and standard",
    onSockets: true,
    run: (work) => withStrictReader(inBatches(createFastTransport), asLlhttp, work),
  },
  {
    name: "node in batches and standard",
    onSockets: true,
    run: (work) => withStrictReader(inBatches(createNodeTransport), asLlhttp, work),
  },
  { name: "parser and standard", onSockets: false, run: (work) => work(checkFastHead) },
];

const limits = LimitsConfig.of();
const head = emptyFastHead();

/** Checks that the standard accepts everything that the framework's parser accepts, with the same result and the same end of the message. */
const checkFastHead: Check = async ({ pieces }) => {
  const text = pieces.join("");
  const bytes = Buffer.from(text, "latin1");
  const input = new FastInput();
  input.add(bytes);
  while (input.servable) {
    const { at } = input;
    const end = input.readHead(bytes, limits, head);
    const known = end === -1 ? null : input.takeHead(bytes, head);
    if (known === null) break;
    const { method, target, bodyLength, last } = head;
    const body = "b".repeat(bodyLength);
    assert.deepEqual(readStrictly(text.slice(at, end) + body, noDeviations), {
      requests: [{ method, target, authority: known.authority, fields: known.toList(), body }],
      end: last ? "closed" : "open",
    });
    if (last) break;
    input.take(end + bodyLength);
  }
};
