import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { App, type Running, type StandardSchema } from "@framework/core";
import { connectRaw, parseReplies } from "../harness/raw-client.ts";

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const settings = { port: 0, exitOnError: false, argv: [], environment: {}, log: quiet };

/** Accepts any form, and rejects a request without one. */
const anyForm: StandardSchema<unknown, object> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) =>
      typeof value === "object" && value !== null ? { value } : { issues: [{ message: "no form" }] },
  },
};

const makeApp = (): App => {
  const app = new App();
  app.post("/form", { body: anyForm }, ({ input }) => ({ fields: Object.keys(input.body) }));
  app.post("/stream", async (request) => {
    const lengths: number[] = [];
    for await (const chunk of request.stream()) lengths.push(chunk.byteLength);
    return lengths;
  });
  return app;
};

describe.each(["fast", "node"] as const)("on the %s transport", (transport) => {
  let running: Running;
  beforeAll(async () => void (running = await makeApp().run({ ...settings, transport })));
  afterAll(() => running.close());

  const post = async (
    path: string,
    framing: string,
  ): Promise<readonly [number | undefined, string | undefined]> => {
    const client = await connectRaw(running.port);
    const fields = `Content-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n${framing}`;
    await client.send(`POST ${path} HTTP/1.1\r\nHost: a\r\n${fields}`);
    const [reply] = parseReplies(await client.untilClosed(), true);
    return [reply?.status, reply?.body];
  };
  const framings = [
    ["Content-Length: 0", "Content-Length: 0\r\n\r\n"],
    ["no length", "\r\n"],
    ["chunked coding", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
  ] as const;

  test.each(framings)("an empty form with %s is a form without fields", async (_, framing) => {
    expect(await post("/form", framing)).toEqual([200, '{"fields":[]}']);
  });

  test.each(framings)("the stream of an empty body with %s has no chunks", async (_, framing) => {
    expect(await post("/stream", framing)).toEqual([200, "[]"]);
  });
});
