import { test } from "@jest/globals";
import { createNodeTransport } from "./node-transport.ts";
import { transportConformance } from "./testing/conformance.ts";

/** What llhttp lets through and does not show: harmless, since neither changes where a message ends. */
const lenient: ReadonlySet<string> = new Set([
  "two blanks before the target",
  "two blanks before the version",
  "two empty lines before the request",
  "a bare LF before the request",
  "a lone CR before the request",
  "RTSP for HTTP",
  "ICE for HTTP",
]);

transportConformance(test, createNodeTransport, lenient);
