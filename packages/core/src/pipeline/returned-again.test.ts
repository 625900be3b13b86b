import { expect, test } from "@jest/globals";
import { App, HttpError, type HttpMiddleware, Response } from "../index.ts";

/** A middleware that changes each reply for its caller, as features do. */
const personal: HttpMiddleware = async (request, next) => {
  const reply = await next(request);
  if (reply.ok) reply.status = 203;
  return reply.setCookie("caller", request.query.get("name") ?? "nobody");
};

const replyParts = async (app: App, path: string): Promise<unknown> => {
  const reply = await app.fetch(new Request(`http://test.local${path}`));
  return [reply.status, reply.headers.getSetCookie(), reply.headers.get("x-kind"), await reply.text()];
};

const forms: readonly [string, () => Response][] = [
  ["text", () => Response.text("same")],
  ["its own fields", () => Response.text("same", { headers: { "x-kind": "own" } })],
  ["JSON", () => Response.json({ same: true })],
  ["bytes", () => Response.binary(new TextEncoder().encode("same"))],
];

test.each(forms)(
  "a reply with %s can be returned to two clients: changes for one do not reach the other",
  async (_, make) => {
    const constant = make();
    const [kind, body] = [make().headers.get("x-kind"), await make().text()];
    const app = new App()
      .use(personal)
      .use((request, next) => (request.path === "/early" ? constant : next(request)))
      .use((request, next) => next(request));
    app.get("/handled", () => constant);
    app.get("/later", async () => Promise.resolve(constant));
    app.get("/failed", () => {
      throw new HttpError(409, "taken");
    });
    app.exceptionHandler(HttpError, () => constant);
    for (const path of ["/handled", "/later", "/early", "/failed"]) {
      for (const name of ["ann", "bob"])
        expect(await replyParts(app, `${path}?name=${name}`)).toEqual([
          203,
          [`caller=${name}; Path=/`],
          kind,
          body,
        ]);
    }
    expect([constant.status, constant.headers.getSetCookie()]).toEqual([200, []]);
  },
);

test("a streamed body that is returned again is rejected", async () => {
  const chunks = async function* () {
    yield "once";
  };
  const constant = Response.stream(chunks());
  const app = new App();
  app.get("/", () => constant);
  expect(await replyParts(app, "/")).toEqual([200, [], null, "once"]);
  await expect(replyParts(app, "/")).rejects.toThrow(expect.objectContaining({ code: "CORE_BODY_USED" }));
});

test("if a middleware returns no reply, the log names it, and outer levels get a 500", async () => {
  const returning = [undefined, null, 5, { status: 200 }];
  const log: string[] = [];
  const app = new App().use(personal).use(function forgetful(request) {
    return returning[Number(request.query.get("at"))] as never;
  });
  app.get("/", () => "ok");
  const error = (text: string): void => void log.push(text);
  await app.start({ env: "production", log: { info() {}, warn() {}, error } });
  for (const at of returning.keys())
    expect(await replyParts(app, `/?at=${at}`)).toEqual([
      500,
      ["caller=nobody; Path=/"],
      null,
      expect.stringContaining("An unexpected error"),
    ]);
  expect(log).toHaveLength(4);
  expect(log[0]).toContain("the middleware forgetful returned nothing instead of a reply");
});

test("a middleware may return one web Response repeatedly", async () => {
  const constant = new globalThis.Response(null, { status: 202 });
  const app = new App().use(personal).use(() => constant as never);
  for (const name of ["ann", "bob"])
    expect(await replyParts(app, `/?name=${name}`)).toEqual([203, [`caller=${name}; Path=/`], null, ""]);
});

test("a middleware's own reply may have 100 header lines, so that core can still add `private` to it", async () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => [`x-${at}`, "1"] as const);
  const logged: string[] = [];
  const log = { info() {}, warn() {}, error: (text: string) => void logged.push(text) };
  const app = new App().use(async (request, next) => {
    await next(request);
    return new Response(null, { headers: lines(request.getQueryInt("lines", 0)) });
  });
  app.get("/", { guards: [() => true] }, () => "x");
  await app.start({ log });
  const status = async (count: number) =>
    (await app.fetch(new Request(`http://test.local/?lines=${count}`))).status;
  expect([await status(100), await status(101), await status(128)]).toEqual([200, 500, 500]);
  expect(logged[0]).toContain("a middleware returned a reply with 101 header lines; the maximum is 100");
});
