import { test } from "@jest/globals";
import { createFastTransport } from "@framework/core/testing";
import { transportConformance } from "../suite/transport-conformance.ts";

/** What the parser behind the hand-over lets through; the fast path itself takes none of it. */
const lenient: ReadonlySet<string> = new Set([
  "two blanks before the target",
  "two blanks before the version",
  "two empty lines before the request",
  "a bare LF before the request",
  "a lone CR before the request",
  "RTSP for HTTP",
  "ICE for HTTP",
]);

transportConformance(test, createFastTransport, lenient);
