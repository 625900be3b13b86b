import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import { ConflictError } from "../append/conflict-error.ts";
import type { ExpectedVersion } from "../append/expected-version.ts";
import type { EventStore } from "../event-store.ts";
import { errorOf, eventsOf, type EventStoreFixture, plain, same } from "./store-fixture.ts";

/** Whether an append succeeds, by expected version, on a stream that does not exist and on one of version 2. */
const matrix: readonly (readonly [expected: ExpectedVersion, onNone: boolean, onTwo: boolean])[] = [
  ["any", true, true],
  ["none", true, false],
  [0, true, false],
  ["exists", false, true],
  [1, false, false],
  [2, false, true],
  [3, false, false],
];

interface Case {
  readonly stream: string;
  /** Version of the stream before the append. */
  readonly before: number;
  /** Events of the append. */
  readonly count: number;
  readonly expected: ExpectedVersion;
}

const expectAppend = async (
  store: EventStore,
  { stream, before, count, expected }: Case,
  accepts: boolean,
): Promise<void> => {
  for (let at = 0; at < before; at++) await store.append(stream, plain("Old"));
  const added = Array.from({ length: count }, () => plain("New"));
  const append = store.append(stream, added, { expected });
  if (accepts) assert.equal((await append).version, before + count, stream);
  else {
    const error = await errorOf(append);
    assert.ok(error instanceof ConflictError, `${stream}: ${error.message}`);
    same([error.status, error.expected, error.actual], [409, expected, before], stream);
  }
  const types = [...Array<string>(before).fill("Old"), ...Array<string>(accepts ? count : 0).fill("New")];
  same(
    (await eventsOf(store, stream)).map(({ type }) => type),
    types,
    stream,
  );
};

/** Contract tests for expected versions. */
export const expectedVersionFacts: PortFacts<EventStoreFixture> = {
  "an append is refused unless the stream has the expected version": async ({ open }) => {
    const store = await open();
    for (const count of [1, 2])
      for (const [expected, onNone, onTwo] of matrix) {
        await expectAppend(
          store,
          { stream: `none-${expected}-${count}`, before: 0, count, expected },
          onNone,
        );
        await expectAppend(store, { stream: `two-${expected}-${count}`, before: 2, count, expected }, onTwo);
      }
  },
};
