import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { App, type HttpRequest } from "@framework/core";
import { connectRaw } from "../harness/raw-client.ts";
import { eventually } from "../harness/test-server.ts";

const handlers: Record<string, (request: HttpRequest) => unknown> = {
  "throws the reason of its signal": async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    signal.throwIfAborted();
  },
  "waits for an operation that throws an AbortError": ({ signal }) => sleep(1e8, null, { signal }),
  "reads the body": (request) => request.text(),
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve()));

/** Runs a handler whose client disconnects while it waits; returns the log and the status that middleware saw. */
const disconnectDuring = async (
  transport: "fast" | "node",
  handler: (request: HttpRequest) => unknown,
): Promise<{ logged: string[]; status: number | undefined }> => {
  const logged: string[] = [];
  const seen = { begun: false, status: undefined as number | undefined };
  const app = new App();
  app.use(async (request, next) => {
    seen.begun = true;
    const reply = await next(request);
    seen.status = reply.status;
    return reply;
  });
  app.post("/wait", handler);
  const note = (message: string) => void logged.push(message);
  const log = { info() {}, warn: note, error: note };
  const running = await app.run({ transport, port: 0, exitOnError: false, argv: [], environment: {}, log });
  try {
    const client = await connectRaw(running.port);
    await client.send("POST /wait HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx");
    await eventually(() => seen.begun, "the handler waits");
    client.socket.resetAndDestroy();
    await eventually(() => seen.status !== undefined, "the handler ends");
  } finally {
    await running.close();
  }
  return { logged, status: seen.status };
};

for (const transport of ["fast", "node"] as const) {
  test.each(Object.keys(handlers))(
    `${transport}: a disconnect does not count as a failure of a handler that %s`,
    async (name) => {
      const handler = handlers[name] as (request: HttpRequest) => unknown;
      expect(await disconnectDuring(transport, handler)).toEqual({ logged: [], status: 400 });
    },
  );

  test(`${transport}: any other error of a handler counts as a failure even after a disconnect`, async () => {
    const { logged, status } = await disconnectDuring(transport, async ({ signal }) => {
      await aborted(signal);
      throw new TypeError("a bug");
    });
    expect({ logged, status }).toEqual({ logged: ["POST /wait failed: a bug"], status: 500 });
  });
}
