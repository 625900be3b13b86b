import { expect, test } from "@jest/globals";
import { App, type HttpRequest, type Middleware, Response } from "../index.ts";
import { testFiles } from "../response/test-files.test-kit.ts";

const { pathOf, openFiles } = testFiles();
const silent = { info() {}, warn() {}, error() {} };

/** An app with a route that replies with a stream, and one that sends a file. `seen` counts the opened and the closed streams. */
const streamingApp = (...around: Middleware<HttpRequest, Response>[]) => {
  const seen = { opened: 0, closed: 0 };
  const app = new App();
  for (const middleware of around) app.use(middleware);
  app.get("/", () => {
    seen.opened++;
    return Response.stream(
      new ReadableStream(
        {
          pull(controller) {
            controller.enqueue("chunk");
            controller.close();
          },
          cancel: () => void seen.closed++,
        },
        { highWaterMark: 0 },
      ),
    );
  });
  app.get("/file", () => Response.sendFile(pathOf("large.bin")));
  return { app, seen };
};
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const fetchText = async (app: App, path = "/"): Promise<string> => {
  await app.start({ env: "production", log: silent });
  const text = await (await app.fetch(new Request(`http://host.test${path}`))).text();
  await nextTurn();
  return text;
};

const middlewares: [string, Middleware<HttpRequest, Response>][] = [
  [
    "it throws",
    async (request, next) => {
      await next(request);
      throw new Error("no");
    },
  ],
  [
    "it returns another reply",
    async (request, next) => {
      await next(request);
      return Response.text("other");
    },
  ],
  [
    "it returns another stream",
    async (request, next) => {
      await next(request);
      return Response.stream(["other"]);
    },
  ],
];

test.each(middlewares)("a streamed reply that a middleware drops is closed: %s", async (_, middleware) => {
  const { app, seen } = streamingApp(middleware);
  await fetchText(app);
  expect(seen).toEqual({ opened: 1, closed: 1 });
  await fetchText(app, "/file");
  while (openFiles().length > 0) await nextTurn();
  expect(openFiles()).toEqual([]);
});

test("of two replies of next, the one that is not sent is closed", async () => {
  const { app, seen } = streamingApp(async (request, next) => {
    await next(request);
    return next(request);
  });
  expect(await fetchText(app)).toBe("chunk");
  expect(seen).toEqual({ opened: 2, closed: 1 });
});

test("a reply that is sent, or read by the stream that replaces it, is not closed", async () => {
  const upper = async function* (reply: Response) {
    await nextTurn();
    for await (const chunk of reply.body ?? []) yield new TextDecoder().decode(chunk).toUpperCase();
  };
  const { app, seen } = streamingApp(async (request, next) => Response.stream(upper(await next(request))));
  expect(await fetchText(app)).toBe("CHUNK");
  expect(seen).toEqual({ opened: 1, closed: 0 });
  const sent = streamingApp();
  expect(await fetchText(sent.app)).toBe("chunk");
  expect(sent.seen).toEqual({ opened: 1, closed: 0 });
});

test("the clone of a dropped reply can be read after the exchange", async () => {
  const clones: Response[] = [];
  const { app } = streamingApp(async (request, next) => {
    clones.push((await next(request)).clone());
    return Response.text("other");
  });
  expect(await fetchText(app)).toBe("other");
  expect(await clones[0]?.text()).toBe("chunk");
});

test("a middleware that calls next after the exchange can read the reply", async () => {
  let later: Promise<string> | undefined;
  const { app } = streamingApp((request, next) => {
    request.onEnd(() => {
      later = (async () => {
        const reply = await next(request);
        await nextTurn();
        return reply.text();
      })();
    });
    return Response.text("first");
  });
  expect(await fetchText(app)).toBe("first");
  expect(await later).toBe("chunk");
});
