import { expect, test } from "@jest/globals";
import { App, Response } from "../index.ts";

const get = (app: App) => app.fetch(new Request("http://host.test/"));

/** A source that produces one chunk and then never settles. */
const endless = () => ({
  async *[Symbol.asyncIterator]() {
    yield "first";
    await new Promise(() => {});
  },
});

test("an open event stream ends cleanly when the app drains", async () => {
  const app = new App();
  app.get("/", () => Response.sse(endless()));
  const text = (await get(app)).text();
  await new Promise((resolve) => setImmediate(resolve));
  await app.stop();
  expect(await text).toBe("data: first\n\n");
});

test("a stream with untilDrain ends when the app drains, and its source is closed", async () => {
  const app = new App();
  let closed = 0;
  const source = (async function* () {
    try {
      for (;;) {
        yield "x";
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      closed++;
    }
  })();
  app.get("/", () => Response.stream(source, { untilDrain: true }));
  const { body } = await get(app);
  const reader = body?.getReader();
  await reader?.read();
  await app.stop();
  const rest = await reader?.read();
  expect([rest?.done, closed]).toEqual([true, 1]);
});

test("a stream that opens during the drain ends at once", async () => {
  const app = new App();
  app.get("/", async ({ draining }) => {
    await new Promise((resolve) => draining.addEventListener("abort", resolve));
    return Response.sse(endless());
  });
  await app.start();
  const reply = get(app);
  await new Promise((resolve) => setImmediate(resolve));
  await app.stop();
  expect(await (await reply).text()).toBe("");
});

test("an event stream that was cloned ends when the app drains", async () => {
  const app = new App();
  let copy: Response | undefined;
  app.get("/", () => {
    const reply = Response.sse(endless());
    copy = reply.clone();
    return reply;
  });
  const text = (await get(app)).text();
  await new Promise((resolve) => setImmediate(resolve));
  await app.stop();
  expect(await text).toBe("data: first\n\n");
  expect(copy?.contentType).toContain("text/event-stream");
});

class Missing extends Error {}

test.each<[string, (app: App) => unknown]>([
  ["middleware", (app) => app.use(() => Response.sse(endless()))],
  ["asynchronous middleware", (app) => app.use(async () => Response.sse(endless()))],
  ["an exception handler", (app) => app.exceptionHandler(Missing, () => Response.sse(endless()))],
  [
    "an asynchronous exception handler",
    (app) => app.exceptionHandler(Missing, async () => Response.stream(endless(), { untilDrain: true })),
  ],
])("an endless stream that %s returns ends cleanly when the app drains", async (_origin, register) => {
  const app = new App();
  app.get("/", () => {
    throw new Missing();
  });
  register(app);
  const text = (await get(app)).text();
  await new Promise((resolve) => setImmediate(resolve));
  await app.stop();
  expect(await text).toContain("first");
});
