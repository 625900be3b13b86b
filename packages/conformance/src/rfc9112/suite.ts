import type { Test } from "../harness/test.ts";
import type { MakeTransport } from "../harness/test-server.ts";
import { chunkedBody } from "./chunked-body.ts";
import { contentLength } from "./content-length.ts";
import { expectations, fieldLines, requestLine, targetAndHost } from "./head.ts";
import { persistenceSuite } from "./persistence.ts";
import { transferEncoding } from "./transfer-encoding.ts";
import { wireSuite } from "./wire-suite.ts";
import type { WireTable } from "./wire-row.ts";

/** Every wire table. */
export const wireTables: readonly WireTable[] = [
  requestLine,
  targetAndHost,
  fieldLines,
  contentLength,
  transferEncoding,
  chunkedBody,
  expectations,
];

/** Declares the tests of RFC 9112's requirements on reading, as tables of exact bytes. @param test the runner's `test` @param make creates the transport */
export const rfc9112Suite = (test: Test, make: MakeTransport): void => {
  for (const table of wireTables) wireSuite(test, make, table);
  persistenceSuite(test, make);
};
