import { describe, expect, test } from "@jest/globals";
import { App, HttpError, Response } from "@framework/core";
import { type Feature, mapAwaitable, type Stage } from "@framework/core/feature";
import { connectRaw } from "../harness/raw-client.ts";
import { eventually } from "../harness/test-server.ts";

const outerStages: readonly Stage[] = ["telemetry", "request-id", "log", "headers"];
const innerStages: readonly Stage[] = [
  "compression",
  "etag",
  "body-limit",
  "rate-limit",
  "session",
  "csrf",
  "app",
];

interface Watching {
  enableWatching(seen: Seen): this;
}

interface Seen {
  readonly stages: string[];
  readonly lines: string[];
  readonly ends: string[];
}

/** Marks the reply at each stage, and records the stages, the log lines and the ends of requests. */
const watching: Feature<Watching> = {
  name: "watching",
  install: (host) => ({
    enableWatching({ stages, lines, ends }) {
      for (const stage of [...outerStages, ...innerStages]) {
        host.http.use(stage, (request, next) => {
          stages.push(stage);
          return mapAwaitable(next(request), (reply) => reply.appendHeader("x-passed", stage));
        });
      }
      host.http.use("log", (request, next) => {
        request.onEnd((end) => void ends.push(end));
        return mapAwaitable(next(request), (reply) => {
          lines.push(`${request.method} ${request.path} ${reply.status} ${request.getHeader("x-name")}`);
          return reply;
        });
      });
      return this;
    },
  }),
};

const makeApp = (seen: Seen) => {
  const app = new (App.with(watching))().enableWatching(seen);
  app.addGuard(() => void seen.stages.push("guard"));
  app.exceptionHandler(HttpError, () => void seen.stages.push("exception handler"));
  app.post("/books", () => void seen.stages.push("handler"));
  return app;
};

type Refusal = readonly [name: string, bytes: string, status: number, line: string];

const long = "x".repeat(20_000);
const named = "X-Name: books";
const refusals: readonly Refusal[] = [
  ["a missing Host", `POST /books HTTP/1.1\r\n${named}\r\n\r\n`, 400, "POST /books 400 books"],
  ["an undecodable path and a missing Host", `GET /%zz HTTP/1.1\r\n${named}\r\n\r\n`, 400, "GET - 400 books"],
  [
    "two content lengths",
    `GET /a?b HTTP/1.1\r\nHost: a\r\n${named}\r\nContent-Length: 1, 1\r\n\r\n`,
    400,
    "GET /a 400 books",
  ],
  ["a folded field", `GET /a HTTP/1.1\r\nHost: a\r\n${named}\r\n folded\r\n\r\n`, 400, "GET /a 400 books"],
  [
    "a target with a byte above 127",
    `GET /\xe9 HTTP/1.1\r\nHost: a\r\n${named}\r\n\r\n`,
    400,
    "- - 400 null",
  ],
  ["bytes that are not HTTP", "\x16\x03\x01\x02\r\n\r\n", 400, "- - 400 null"],
  [
    "a body above the limit",
    `POST /books HTTP/1.1\r\nHost: a\r\n${named}\r\nContent-Length: 99999999999999999999\r\n\r\n`,
    413,
    "POST /books 413 books",
  ],
  [
    "a long query",
    `GET /find?q=${"x".repeat(9000)} HTTP/1.1\r\nHost: a\r\n${named}\r\n\r\n`,
    414,
    "GET /find 414 books",
  ],
  ["an incomplete line with a long query", `GET /find?q=${long}${long}`, 414, "GET /find 414 null"],
  ["an incomplete line with a long path", `GET /${long}${long}`, 414, "GET - 414 null"],
  [
    "an unknown expectation",
    `GET /a HTTP/1.1\r\nHost: a\r\n${named}\r\nExpect: more\r\n\r\n`,
    417,
    "GET /a 417 books",
  ],
  [
    "too many fields",
    `GET /a HTTP/1.1\r\nHost: a\r\n${named}\r\n${"a: b\r\n".repeat(101)}\r\n`,
    431,
    "GET /a 431 books",
  ],
  [
    "a field above the limit",
    `GET /a HTTP/1.1\r\nHost: a\r\n${named}\r\nb: ${long}${long}\r\n\r\n`,
    431,
    "GET /a 431 books",
  ],
  ["CONNECT", `CONNECT a:1 HTTP/1.1\r\nHost: a\r\n${named}\r\n\r\n`, 501, "CONNECT - 501 books"],
  ["an unknown method", `BREW /pot HTTP/1.1\r\nHost: a\r\n${named}\r\n\r\n`, 501, "BREW /pot 501 books"],
  [
    "an unsupported transfer coding",
    `POST /a HTTP/1.1\r\nHost: a\r\n${named}\r\nTransfer-Encoding: br, chunked\r\n\r\n`,
    501,
    "POST /a 501 books",
  ],
  ["an unsupported version", `GET /a HTTP/3.0\r\nHost: a\r\n${named}\r\n\r\n`, 505, "GET /a 505 books"],
];

const quiet = { info() {}, warn() {}, error() {} };
const settings = { port: 0, exitOnError: false, argv: [], environment: {}, log: quiet };

describe.each(["fast", "node"] as const)("on the %s transport", (transport) => {
  test.each(refusals)(
    "%s is refused with a complete reply, which passes only the outer stages",
    async (_, bytes, status, line) => {
      const seen: Seen = { stages: [], lines: [], ends: [] };
      const running = await makeApp(seen).run({ ...settings, transport });
      try {
        const client = await connectRaw(running.port);
        await client.send(bytes);
        const [reply] = await client.replies(1);
        expect(reply?.status).toBe(status);
        expect(reply?.fields.get("x-passed")).toBe(outerStages.toReversed().join(", "));
        expect(JSON.parse(reply?.body ?? "")).toMatchObject({ status });
        expect(seen.lines).toEqual([line]);
        expect(seen.stages).toEqual(outerStages);
        await client.untilClosed();
        await eventually(() => seen.ends.length > 0, "the end is reported");
        expect(seen.ends).toEqual(["sent"]);
      } finally {
        await running.close();
      }
    },
  );

  test("an incomplete head is refused with 408 at the timeout, and logged", async () => {
    const seen: Seen = { stages: [], lines: [], ends: [] };
    const running = await makeApp(seen).run({ ...settings, transport, timeouts: { readHeaderSecs: 1 } });
    try {
      const client = await connectRaw(running.port);
      await client.send("GET /books HTTP/1.1\r\nHost: a\r\n");
      const [reply] = await client.replies(1);
      expect([reply?.status, reply?.fields.get("x-passed")]).toEqual([
        408,
        outerStages.toReversed().join(", "),
      ]);
      expect(seen.lines).toEqual(["GET /books 408 null"]);
    } finally {
      await running.close();
    }
  });

  test("a malformed message after a valid one is logged with its own method and path", async () => {
    const seen: Seen = { stages: [], lines: [], ends: [] };
    const running = await makeApp(seen).run({ ...settings, transport });
    try {
      const client = await connectRaw(running.port);
      await client.send("POST /books HTTP/1.1\r\nHost: a\r\n\r\nGET /other HTTP/1.1\r\nHost : a\r\n\r\n");
      await client.untilClosed();
      expect(seen.lines).toEqual(["POST /books 204 null", "GET /other 400 null"]);
    } finally {
      await running.close();
    }
  });
});

/** Middleware that tries to replace the reply of a refusal. */
const replacing: Feature = {
  name: "replacing",
  install: (host) => {
    host.http.use("headers", () => Response.text("mine"));
    host.http.use("headers", () => {
      throw new Error("failed");
    });
    host.http.use("headers", (request, next) => {
      void next(request);
      throw new Error("failed after");
    });
    host.http.use("headers", async (request, next) => {
      await Promise.resolve();
      return next(request);
    });
    host.http.use("headers", (request, next) =>
      mapAwaitable(next(request), (reply) => reply.setHeader("x-inmost", "yes")),
    );
    return {};
  },
};

test("middleware cannot replace a refusal, and every inner middleware still runs", async () => {
  const logged: string[] = [];
  const log = { ...quiet, error: (message: string) => void logged.push(message) };
  const running = await new (App.with(replacing))().run({ ...settings, log });
  try {
    const client = await connectRaw(running.port);
    await client.send("OPTIONS /books HTTP/1.1\r\n\r\n");
    const [reply] = await client.replies(1);
    expect([reply?.status, reply?.fields.get("x-inmost")]).toEqual([400, "yes"]);
    expect(logged).toEqual(Array(2).fill("a middleware failed on a refused message"));
  } finally {
    await running.close();
  }
});

test("the body of a refusal has the format that the client accepts", async () => {
  const running = await new App().run(settings);
  try {
    const client = await connectRaw(running.port);
    await client.send("GET /books HTTP/1.1\r\nAccept: application/problem+json\r\n\r\n");
    const [reply] = await client.replies(1);
    expect(reply?.fields.get("content-type")).toBe("application/problem+json");
    expect(JSON.parse(reply?.body ?? "")).toEqual({
      error: "Bad Request",
      detail: "The field host is missing",
      status: 400,
      type: "/errors/bad-request",
      title: "Bad Request",
      instance: "/books",
    });
  } finally {
    await running.close();
  }
});

test("an undecodable path has its own log line, with a dash for the path", async () => {
  const lines: string[] = [];
  const log = { ...quiet, info: (message: string) => void lines.push(message) };
  const running = await new App().run({ ...settings, logs: true, log });
  try {
    const client = await connectRaw(running.port);
    await client.send("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n\r\n");
    await client.untilClosed();
    expect(lines.map((line) => line.replace(/\(.*/, "")).filter((line) => line.includes("->"))).toEqual([
      "GET - -> 400 ",
      "GET / -> 400 ",
    ]);
  } finally {
    await running.close();
  }
});
