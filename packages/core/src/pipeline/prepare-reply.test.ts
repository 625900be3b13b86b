import { expect, test } from "@jest/globals";
import { SharedReply, SingleUse } from "../feature.ts";
import { App, type HttpRequest, NotFoundError, Response } from "../index.ts";

/** Returns the `Cache-Control` and `Vary` of a handler's reply. */
const sentBy = async (reply: (request: HttpRequest) => unknown, headers: Record<string, string> = {}) => {
  const app = new App();
  app.get("/", reply);
  const { headers: sent } = await app.fetch(new Request("http://host.test/", { headers }));
  return [sent.get("cache-control"), sent.get("vary")];
};

const withControl = (control: string): Response =>
  new Response("x", { headers: { "cache-control": control } });

test("a reply whose handler identified the caller is private, synchronous or not", async () => {
  const identified = (request: HttpRequest): string => {
    request.context.set("user", "ann");
    return "hers";
  };
  expect(await sentBy(identified, { cookie: "a=b" })).toEqual(["private", "Cookie"]);
  expect(await sentBy(async (request) => identified(request))).toEqual(["private", null]);
  expect(await sentBy((request) => request.context.set("user", null) && "for all")).toEqual([null, null]);
});

test("an error of an identified caller is private", async () => {
  const fails = (request: HttpRequest): never => {
    request.context.set("api_key_name", "billing");
    throw new NotFoundError("fails");
  };
  expect(await sentBy(fails)).toEqual(["private", "Accept"]);
  expect(await sentBy(async (request) => fails(request))).toEqual(["private", "Accept"]);
});

test("the reply of a route with guards is private, with guards of the app or its own", async () => {
  const app = new App();
  app.get("/guarded", { guards: [() => true] }, () => withControl("max-age=5"));
  app.get("/open", () => withControl("max-age=5"));
  const guarded = new App().addGuard(() => true);
  guarded.get("/", () => withControl("max-age=5"));
  const control = async (from: App, path: string) =>
    (await from.fetch(new Request(`http://host.test${path}`))).headers.get("cache-control");
  expect(await control(app, "/guarded")).toBe("private, max-age=5");
  expect(await control(guarded, "/")).toBe("private, max-age=5");
  expect(await control(app, "/open")).toBe("max-age=5");
});

test.each([
  ["max-age=60", "private, max-age=60"],
  ["PRIVATE, max-age=60", "PRIVATE, max-age=60"],
  ["no-cache", "private, no-cache"],
  ['private="set-cookie, x", max-age=60', "private, max-age=60"],
  ['x="public, s-maxage=9", max-age=60', 'private, x="public, s-maxage=9", max-age=60'],
  ["no-store", "no-store"],
  ["must-understand, no-store", "private, must-understand, no-store"],
  ["Public, max-age=60", "Public, max-age=60"],
  ["s-maxage=60", "s-maxage=60"],
])("Cache-Control %j of an identified caller is sent as %j", async (given, sent) => {
  const reply = (request: HttpRequest): Response => {
    request.context.set("user", "ann");
    return withControl(given);
  };
  expect(await sentBy(reply)).toEqual([sent, null]);
});

test("a single-use value makes even a public or shared reply private", async () => {
  const reply = (request: HttpRequest): Response => {
    request.context.set(SingleUse, true);
    return withControl("public, s-maxage=60, max-age=5");
  };
  expect(await sentBy(reply)).toEqual(["private, max-age=5", null]);
  const shared = (request: HttpRequest): Response => reply(request).annotate(SharedReply, true);
  expect(await sentBy(shared)).toEqual(["private, max-age=5", null]);
});

test("Vary names the fields that an authentication read, and a shared reply stays unchanged", async () => {
  const read = (request: HttpRequest): void => {
    request.readCredentials(["X-Key"]);
  };
  const headers = { cookie: "a=b", authorization: "x" };
  expect(await sentBy((request) => read(request) ?? "hers", headers)).toEqual(["private", "X-Key"]);
  const shared = (request: HttpRequest): Response => {
    read(request);
    return withControl("max-age=5").annotate(SharedReply, true);
  };
  expect(await sentBy(shared, headers)).toEqual(["max-age=5", null]);
});

test("a reply that was chosen with accepts varies by Accept", async () => {
  const choose = (request: HttpRequest): Response =>
    new Response(request.accepts("text/html") ? "<p>" : "{}", { headers: { vary: "x-other" } });
  expect(await sentBy(choose)).toEqual([null, "x-other, Accept"]);
  expect(await sentBy(async (request) => choose(request))).toEqual([null, "x-other, Accept"]);
});
