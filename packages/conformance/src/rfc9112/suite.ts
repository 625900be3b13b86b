import type { Test } from "../harness/test.ts";
import type { MakeTransport } from "../harness/test-server.ts";
import { chunkedBody } from "./chunked-body.ts";
import { contentLength } from "./content-length.ts";
import { expectations, fieldLines, requestLine, targetAndHost } from "./head.ts";
import { persistenceSuite } from "./persistence.ts";
import { transferEncoding } from "./transfer-encoding.ts";
import { wireSuite } from "./wire-suite.ts";
import type { WireTable } from "./wire-row.ts";

/** Every table of bytes, by subject. */
export const wireTables: readonly WireTable[] = [
  requestLine,
  targetAndHost,
  fieldLines,
  contentLength,
  transferEncoding,
  chunkedBody,
  expectations,
];

/** The requirements of RFC 9112 on a server's reading side, in tables of exact bytes: run it with the runner's `test` and a transport. */
export const rfc9112Suite = (test: Test, make: MakeTransport): void => {
  for (const table of wireTables) wireSuite(test, make, table);
  persistenceSuite(test, make);
};
