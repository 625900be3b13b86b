import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { App } from "../index.ts";
import { isPromise } from "../feature.ts";

const json = "application/json";
const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

const bodies: readonly (readonly [name: string, type: string, body: string, status: number])[] = [
  ["a valid body", json, '{"title":"é"}', 200],
  ["a valid body with a charset", "application/json; charset=utf-8", '{"title":"T"}', 200],
  ["a body after a byte order mark", json, '\u00ef\u00bb\u00bf{"title":"T"}', 200],
  ["the last of duplicate names", json, '{"title":1,"title":"T"}', 200],
  ["a form", "application/x-www-form-urlencoded", "title=T", 200],
  ["a body as long as the limit", json, `{"title":"${"x".repeat(488)}"}`, 200],
  ["a body one byte above the limit", json, `{"title":"${"x".repeat(489)}"}`, 413],
  ["a body that fails its schema", json, '{"title":5}', 422],
  ["no body", json, "", 422],
  ["malformed JSON", json, '{"title":', 400],
  ["malformed JSON that is too deep before its error", json, "[".repeat(101), 400],
  ["JSON of 101 levels", json, nested(101), 400],
  ["JSON of 100 levels", json, nested(100), 422],
  ["a number out of range", json, '{"title":1e400}', 400],
  ["bytes that are not UTF-8", json, '{"title":"\u00ff"}', 400],
  ["another charset", "application/json; charset=latin1", '{"title":"T"}', 415],
  ["another type", "text/plain", '{"title":"T"}', 415],
  ["a malformed type", "application", '{"title":"T"}', 400],
];

/** An app that replies with the schema's output. With `waits`, reading a body returns a promise, as if the transport had only a part of it. */
const bookApp = (waits: boolean, seen: unknown[]): App => {
  const app = new App().use((request, next) => {
    if (waits) request.decodeBody((chunks) => chunks);
    const reply = next(request);
    seen.push(isPromise(reply));
    return reply;
  });
  const options = { body: z.object({ title: z.string() }), maxBodyBytes: 500 };
  app.post("/books", options, ({ input }) => input.body);
  return app;
};

const embedded = {
  port: 0,
  exitOnError: false,
  argv: [],
  environment: {},
  log: { info() {}, warn() {}, error() {} },
};

const fetchReplies = async (transport: "fast" | "node", waits: boolean): Promise<string[]> => {
  const running = await bookApp(waits, []).run({ ...embedded, transport });
  const texts: string[] = [];
  try {
    for (const [, type, body] of bodies) {
      const reply = await fetch(`${running.url}/books`, {
        method: "POST",
        body: Buffer.from(body.replace("é", "\u00c3\u00a9"), "latin1"),
        headers: { "content-type": type },
      });
      texts.push(`${reply.status} ${await reply.text()}`);
    }
  } finally {
    await running.close();
  }
  return texts;
};

test("the reply is the same whether the body is buffered, awaited or decoded", async () => {
  const buffered = await fetchReplies("fast", false);
  expect(buffered.map((text, at) => `${bodies[at]?.[0]}: ${text.slice(0, 3)}`)).toEqual(
    bodies.map(([name, , , status]) => `${name}: ${status}`),
  );
  expect(await fetchReplies("fast", true)).toEqual(buffered);
  expect(await fetchReplies("node", false)).toEqual(buffered);
});

test.each([
  ['{"title":"T"}', "200"],
  ['{"title":5}', "422"],
  ['{"title":', "400"],
])(
  "with a buffered body (%s) and a synchronous schema the whole chain is synchronous",
  async (body, status) => {
    const promises: unknown[] = [];
    const running = await bookApp(false, promises).run({ ...embedded, transport: "fast" });
    const socket = connect(running.port, "127.0.0.1");
    try {
      const head = `POST /books HTTP/1.1\r\nHost: a\r\nContent-Type: ${json}\r\nContent-Length: ${body.length}\r\n\r\n`;
      socket.write(head + body); // one write, so that the transport has the complete body
      const [reply] = (await once(socket, "data")) as [Buffer];
      expect(reply.toString("latin1", 9, 9 + status.length)).toBe(status);
      expect(promises).toEqual([false]);
    } finally {
      socket.destroy();
      await running.close();
    }
  },
);
