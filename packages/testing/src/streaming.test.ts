// oxlint-disable jest/no-standalone-expect -- the facts run inside the tests that eachClient registers
import { App, Response } from "@framework/core";
import { expect, test } from "@jest/globals";
import { eachClient } from "./each-client.ts";
import { waitFor } from "./wait-for.ts";

/** An app with a stream that never ends by itself, and what becomes of it. */
class StreamApp extends App {
  ended = 0;
  aborted = 0;
}

const streams = (): StreamApp => {
  const app = new StreamApp();
  app.get("/ticks", () => {
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
    await new Promise<void>((resolve) =>
      request.signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    app.aborted++;
    return "late";
  });
  app.get("/short", () => Response.stream(["a", "b"]));
  return app;
};

const firstChunk = async (reply: globalThis.Response): Promise<string> => {
  for await (const chunk of reply.body?.values({ preventCancel: true }) ?? [])
    return new TextDecoder().decode(chunk);
  return "";
};

eachClient(
  test,
  streams,
  {
    "a stream is live before it ends": async (client) => {
      const reply = await client.stream("GET", "/ticks");
      expect(await firstChunk(reply)).toMatch(/^tick 1\n/);
    },

    "letting a stream go ends it in the handler": async (client, app) => {
      const reply = await client.stream("GET", "/ticks");
      await firstChunk(reply);
      await reply.body?.cancel();
      await waitFor(() => app.ended === 1, { what: "the end of the stream" });
    },

    "disposing of the client ends its streams": async (client, app) => {
      const reply = await client.stream("GET", "/ticks");
      await firstChunk(reply);
      await client[Symbol.asyncDispose]();
      await waitFor(() => app.ended === 1, { what: "the end of the stream" });
      await expect(reply.text()).rejects.toBeDefined();
    },

    "a stream's signal ends it while it is read": async (client, app) => {
      const leaving = new AbortController();
      const reply = await client.stream("GET", "/ticks", { signal: leaving.signal });
      await firstChunk(reply);
      leaving.abort(new Error("read enough"));
      await expect(reply.text()).rejects.toThrow("read enough");
      await waitFor(() => app.ended === 1, { what: "the end of the stream" });
    },

    "a reply that does not end is given up, with the request named": async (client, app) => {
      const asked = client.get("/ticks");
      await expect(asked).rejects.toMatchObject({ code: "TESTING_TIMEOUT" });
      await expect(asked).rejects.toThrow(/^GET \/ticks was not answered to its end within 300 ms$/);
      await waitFor(() => app.ended === 1, { what: "the end of the stream" });
    },

    "a handler that does not answer is given up and sees the client go": async (client, app) => {
      await expect(client.stream("GET", "/never")).rejects.toMatchObject({ code: "TESTING_TIMEOUT" });
      await waitFor(() => app.aborted === 1, { what: "the abort in the handler" });
    },

    "a request's own signal ends it with its reason": async (client, app) => {
      const signal = AbortSignal.timeout(20);
      await expect(client.get("/never", { signal })).rejects.toBe(signal.reason);
      await waitFor(() => app.aborted === 1, { what: "the abort in the handler" });
    },

    "a signal that has aborted sends nothing": async (client, app) => {
      await expect(client.get("/never", { signal: AbortSignal.abort("no") })).rejects.toBe("no");
      expect((await client.get("/short")).text).toBe("ab");
      expect(app.aborted).toBe(0);
    },
  },
  { timeoutMs: 300 },
);
