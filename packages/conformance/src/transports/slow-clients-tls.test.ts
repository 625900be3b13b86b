import { createFastTransport, createNodeTransport } from "@framework/core/testing";
import { describe, test } from "@jest/globals";
import { overTls } from "../harness/over-tls.ts";
import { slowClientConformance } from "../suite/slow-clients.ts";

describe.each([
  ["fast", createFastTransport],
  ["node", createNodeTransport],
])("%s over TLS", (_name, make) => {
  slowClientConformance(test, overTls(make));
});
