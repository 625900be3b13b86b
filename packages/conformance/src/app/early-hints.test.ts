import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { App, type HttpRequest, type Running } from "@framework/core";
import { connectRaw, parseReplies } from "../harness/raw-client.ts";
import { turn } from "../harness/test-server.ts";

const link = "</style.css>; rel=preload; as=style";
const get = (target: string, method = "GET"): string => `${method} ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const settings = { port: 0, exitOnError: false, argv: [], environment: {}, log: quiet };

const makeApp = (sent: boolean[]): App => {
  const app = new App();
  const page = (request: HttpRequest): string => {
    sent.push(request.sendEarlyHints({ link }));
    return "page";
  };
  app.get("/now", page);
  app.get("/later", async (request) => {
    const text = page(request);
    sent.push(request.sendEarlyHints({ link: ["<a>; rel=preload", "<b>; rel=preload"], "X-Case": "1" }));
    await turn(2);
    return text;
  });
  app.route("/any", { methods: ["POST", "OPTIONS"] }, page);
  app.get("/slow", () => turn(5).then(() => "slow"));
  app.get("/after", (request) => {
    request.onEnd(() => sent.push(request.sendEarlyHints({ link })));
    return "after";
  });
  app.get("/bad", (request) => {
    request.sendEarlyHints({ link: "a\r\nb: c" });
    return "bad";
  });
  app.get("/framing", (request) => {
    request.sendEarlyHints({ "Content-Length": "1" });
    return "bad";
  });
  return app;
};

describe.each(["fast", "node"] as const)("on the %s transport", (transport) => {
  const sent: boolean[] = [];
  let running: Running;
  beforeAll(async () => {
    running = await makeApp(sent).run({ ...settings, transport });
  });
  afterAll(() => running.close());

  const fetchReplies = async (
    bytes: string,
    finals: number,
  ): Promise<{ status: number; body: string; link: string | undefined }[]> => {
    sent.length = 0;
    const client = await connectRaw(running.port);
    await client.send(bytes);
    await client.until(
      (received) =>
        parseReplies(received, false).filter(({ status, complete }) => status > 199 && complete).length ===
        finals,
    );
    await turn(3);
    const replies = parseReplies(client.received, client.closed);
    client.destroy();
    return replies.map(({ status, body, fields }) => ({ status, body, link: fields.get("link") }));
  };
  const hint = { status: 103, body: "", link };
  const page = { status: 200, body: "page", link: undefined };

  test("sends 103 with its fields before the reply, on both parsers", async () => {
    expect(await fetchReplies(get("/now"), 1)).toEqual([hint, page]);
    expect(await fetchReplies(get("http://a/any", "POST"), 1)).toEqual([hint, page]);
    const pair = await fetchReplies(get("/now") + get("/now"), 2);
    expect(pair.slice(0, 2)).toEqual([hint, page]);
    expect(pair.filter(({ status }) => status === 200)).toEqual([page, page]); // node:http may still finish the first reply when the second request runs
    expect(await fetchReplies(get("/later"), 1)).toEqual([
      hint,
      { ...hint, link: "<a>; rel=preload, <b>; rel=preload" },
      page,
    ]);
    expect(sent).toEqual([true, true]);
  });

  test("sends no 103 to HTTP/1.0, while an earlier reply is pending, or after the reply", async () => {
    expect(await fetchReplies(get("/now").replace("1.1", "1.0"), 1)).toEqual([page]);
    expect(sent).toEqual([false]);
    expect((await fetchReplies(get("/slow") + get("/now"), 2)).map(({ status }) => status)).toEqual([
      200, 200,
    ]);
    expect(sent).toEqual([false]);
    expect((await fetchReplies(get("/after"), 1)).map(({ status }) => status)).toEqual([200]);
    expect(sent).toEqual([false]);
  });

  test("refuses a field that would split the reply or change its framing", async () => {
    for (const target of ["/bad", "/framing"])
      expect((await fetchReplies(get(target), 1)).map(({ status }) => status)).toEqual([500]);
  });
});

test("sends no 103 with app.fetch", async () => {
  const sent: boolean[] = [];
  const reply = await makeApp(sent).fetch(new Request("http://a/now"));
  expect([await reply.text(), sent]).toEqual(["page", [false]]);
});
