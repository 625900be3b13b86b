import { bodyConformance } from "./conformance-bodies.ts";
import { closingConformance } from "./conformance-closing.ts";
import { fuzzConformance } from "./conformance-fuzz.ts";
import { headConformance } from "./conformance-heads.ts";
import { persistenceConformance } from "./conformance-persistence.ts";
import { replyConformance } from "./conformance-replies.ts";
import { slowClientConformance } from "./conformance-slow-clients.ts";
import { upgradeConformance } from "./conformance-upgrades.ts";
import type { MakeTransport } from "./test-server.ts";

/** The runner's `test`, as far as the suite needs it. */
export type Test = (name: string, run: () => Promise<void>) => void;

/** What a transport's parser lets through though the rules would refuse it, by the names of the rows: the list may only become shorter. */
export type KnownLeniency = ReadonlySet<string>;

/** What every transport does alike: run it with the runner's `test` and a function that makes the transport. */
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
