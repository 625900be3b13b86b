// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { App, Response } from "@framework/core";
import { expect, test } from "@jest/globals";
import { eachClient } from "./each-client.ts";
import type { TestClient } from "./client.ts";
import type { TestInit } from "./request-init.ts";
import { waitFor } from "./wait-for.ts";

/** An app with an endless stream, and the state of that stream. */
class StreamApp extends App {
  requestCount = 0;
  /** Lets the pending handler reply. */
  release: () => void = () => {};
  ended = 0;
  aborted = 0;
}

const streams = (): StreamApp => {
  const app = new StreamApp();
  app.get("/ticks", () => {
    app.requestCount++;
    async function* ticks() {
      try {
        for (let tick = 1; ; tick++) {
          yield `tick ${tick}\n`;
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      } finally {
        app.ended++;
      }
    }
    return Response.stream(ticks());
  });
  app.get("/never", async (request) => {
    app.requestCount++;
    await new Promise<void>((resolve) =>
      request.signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    app.aborted++;
    return "late";
  });
  app.get("/late", async () => {
    app.requestCount++;
    await new Promise<void>((resolve) => (app.release = resolve));
    return new Response(new ReadableStream({ cancel: () => void app.ended++ }));
  });
  app.get("/short", () => Response.stream(["a", "b"]));
  return app;
};

/** Opens a stream and reads its first chunk. */
const begin = async (client: TestClient, init?: TestInit) => {
  const { body } = await client.stream("GET", "/ticks", init);
  const reader = (body ?? new ReadableStream<Uint8Array>()).getReader();
  const { value } = await reader.read();
  return { reader, first: new TextDecoder().decode(value) };
};

/** Reads until the stream ends or fails. */
const readToEnd = async (reader: Awaited<ReturnType<typeof begin>>["reader"]): Promise<void> => {
  while (!(await reader.read()).done);
};

eachClient(test, streams, {
  "a stream is live before it ends": async (client) => {
    const { first } = await begin(client);
    expect(first).toMatch(/^tick 1\n/);
  },

  "cancelling a stream ends it in the handler": async (client, app) => {
    const { reader } = await begin(client);
    await reader.cancel();
    await waitFor(() => app.ended === 1, { subject: "the end of the stream" });
  },

  "disposing of the client ends its streams": async (client, app) => {
    const { reader } = await begin(client);
    await client[Symbol.asyncDispose]();
    await waitFor(() => app.ended === 1, { subject: "the end of the stream" });
    await expect(readToEnd(reader)).rejects.toMatchObject({ code: "TESTING_CLIENT_CLOSED" });
  },

  "aborting a stream's signal ends the stream while it is being read": async (client, app) => {
    const controller = new AbortController();
    const { reader } = await begin(client, { signal: controller.signal });
    controller.abort(new Error("read enough"));
    await expect(readToEnd(reader)).rejects.toThrow("read enough");
    await waitFor(() => app.ended === 1, { subject: "the end of the stream" });
  },

  "aborting a request's signal rejects the request with the abort reason": async (client, app) => {
    const controller = new AbortController();
    const pendingReply = client.get("/never", { signal: controller.signal });
    await waitFor(() => app.requestCount === 1, { subject: "the request" });
    controller.abort("changed my mind");
    await expect(pendingReply).rejects.toBe("changed my mind");
    await waitFor(() => app.aborted === 1, { subject: "the abort in the handler" });
  },

  "an aborted signal sends no request": async (client, app) => {
    await expect(client.get("/never", { signal: AbortSignal.abort("no") })).rejects.toBe("no");
    expect((await client.get("/short")).text).toBe("ab");
    expect(app.requestCount).toBe(0);
  },
});

/** Lets requests time out until one has reached its handler, which may take more than 400 ms on a busy machine. */
const timeOut = async (app: StreamApp, send: () => Promise<unknown>): Promise<void> => {
  do await expect(send()).rejects.toMatchObject({ code: "TESTING_TIMEOUT" });
  while (app.requestCount === 0);
};

eachClient(
  test,
  streams,
  {
    "an endless reply times out, and the error names the request": async (client, app) => {
      let pendingReply: Promise<unknown> = Promise.resolve();
      await timeOut(app, () => (pendingReply = client.get("/ticks")));
      await expect(pendingReply).rejects.toThrow(/^GET \/ticks got no complete reply within 400 ms$/);
      await waitFor(() => app.ended > 0, { subject: "the end of the stream" });
    },

    "an unanswered request times out, and its handler sees the disconnect": async (client, app) => {
      await timeOut(app, () => client.stream("GET", "/never"));
      await waitFor(() => app.aborted > 0, { subject: "the abort in the handler" });
    },

    "a stream that arrives after the client has disconnected is cancelled": async (client, app) => {
      await timeOut(app, () => client.stream("GET", "/late"));
      app.release();
      await waitFor(() => app.ended > 0, { subject: "the end of the stream" });
    },
  },
  { timeoutMs: 400 },
);
