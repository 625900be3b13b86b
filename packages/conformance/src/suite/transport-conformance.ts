import { bodyConformance } from "./bodies.ts";
import { closingConformance } from "./closing.ts";
import { fuzzConformance } from "./random-bytes.ts";
import { headConformance, type KnownLeniency } from "./heads.ts";
import { persistenceConformance } from "./persistence.ts";
import { replyConformance } from "./replies.ts";
import { slowClientConformance } from "./slow-clients.ts";
import { upgradeConformance } from "./upgrades.ts";
import type { Test } from "../harness/test.ts";
import type { MakeTransport } from "../harness/test-server.ts";

/**
 * What every HTTP/1.1 transport does alike: heads, bodies, persistence, replies, slow clients, closing, upgrades, random bytes.
 *
 * @param test the runner's `test`
 * @param make makes the transport under test
 * @param lenient see `KnownLeniency`. @default none
 */
export const transportConformance = (
  test: Test,
  make: MakeTransport,
  lenient: KnownLeniency = new Set(),
): void => {
  headConformance(test, make, lenient);
  bodyConformance(test, make);
  persistenceConformance(test, make);
  replyConformance(test, make);
  slowClientConformance(test, make);
  closingConformance(test, make);
  upgradeConformance(test, make);
  fuzzConformance(test, make);
};
