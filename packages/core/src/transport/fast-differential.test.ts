import { test } from "@jest/globals";
import { createFastTransport } from "./fast-transport.ts";
import { createNodeTransport } from "./node-transport.ts";
import { expectNoDifference } from "./testing/differential.ts";

test("answers as node:http does, whatever comes in whatever pieces", () =>
  expectNoDifference(createFastTransport, createNodeTransport, {
    numRuns: 300,
    interruptAfterTimeLimit: 3000,
  }));
