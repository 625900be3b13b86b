import { expect, test } from "@jest/globals";
import { waitForExit, startWorker } from "./worker.test-kit.ts";

test.each([
  ["wait", "waits\n"],
  ["send", "MESSAGING_SEND_FAILED\n"],
])(
  "messaging keeps a process running while its server is unavailable: %s",
  async (part, expected) => {
    const worker = startWorker(part, { AMQP_URL: "amqp://127.0.0.1:1", TOPIC: "orders" });
    expect(await waitForExit(worker)).toEqual([0, expected]);
  },
  60_000,
);
