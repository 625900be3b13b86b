// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { App, Blueprint } from "@framework/core";
import { eachClient, testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { once } from "node:events";
import { connect } from "node:net";
import { ApiKeyAuth, JwtAuth } from "./index.ts";

const createApp = () => {
  const app = new App().use(
    new ApiKeyAuth({ k: "s" }).skipPath("/login").skipPath("/health").skipPath("/caf\u00e9"),
  );
  for (const path of [
    "/",
    "/login",
    "/login/",
    "/login/form",
    "/health/{*rest}",
    "/healthz",
    "/caf\u00e9",
    "/{any}",
    "/{any}/{more}",
  ])
    app.get(path, ({ params }) => params);
  return app;
};

/** Request targets that are skipped (`open`), and similar ones that are not (`closed`). */
const open = [
  "/login",
  "/login/",
  "/login/form",
  "/login//",
  "/login/a/b/c",
  "/login?x=1",
  "/%6cogin",
  "/%6Cogin",
  "/log%69n/form",
  "/health/live",
  "/health/%2e%2e%2e",
  "/caf%C3%A9",
  "/caf%C3%A9/x",
  "/login/%2F",
  "/login/%2fx",
];
const closed = [
  "/",
  "/Login",
  "/LOGIN",
  "/logi",
  "/login2",
  "/login%20",
  "/login%2F",
  "/login%2Fform",
  "/login%2f..",
  "/login%3F",
  "/login%23",
  "/login;x",
  "/login;/form",
  "/login.json",
  "/login%5C",
  "/login\\x",
  "//login",
  "///login",
  "/x/login",
  "/%2Flogin",
  "/%252Flogin",
  "/%256cogin",
  "/healthz",
  "/health%2Flive",
  "/healthy/live",
  "/caf%E9",
  "/cafe%CC%81",
  "/caf",
  "/login%00",
  "/%00/login",
  "/./login",
  "/x/../login",
  "/x/%2e%2e/login",
  "/login/..",
  "/login/../admin",
  "/login/%2e%2e/admin",
  "/login/.%2e/admin",
  "/login/%2E%2e/admin",
  "/login/./admin",
  "/login/%zz",
  "/%zzlogin",
  "/login#x",
  "/login%0a",
  "/login%7f",
];

/** Returns the status of one exact target; clients and `fetch` would normalise it. */
const statusOf = async (url: string, target: string): Promise<number> => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x.test\r\nConnection: close\r\n\r\n`);
  let text = "";
  socket.on("error", () => {}).on("data", (chunk) => (text += chunk.toString("latin1")));
  await once(socket, "close");
  return Number(text.slice(9, 12));
};

eachClient(test, createApp, {
  "skipped paths need no key, all others do": async (client) => {
    const url = await client.url("/");
    const overFetch = new URL(url).port === "";
    for (const target of open) {
      const status = overFetch ? (await client.get(target)).status : await statusOf(url, target);
      expect([target, [200, 404].includes(status)]).toEqual([target, true]);
    }
    for (const target of closed) {
      if (overFetch && /\.|%2e|[\\#]/i.test(target)) continue; // the Request constructor normalises these
      const status = overFetch ? (await client.get(target)).status : await statusOf(url, target);
      expect([target, status]).toEqual([target, target.includes("#") && status === 400 ? 400 : 401]);
    }
  },
});

test("every method of a skipped path is exempt, and unknown paths are not", async () => {
  await using client = testClient(createApp());
  for (const method of ["GET", "HEAD", "OPTIONS"])
    expect((await client.request(method, "/login")).status).toBeLessThan(300);
  expect((await client.post("/login")).status).toBe(405);
  expect((await client.options("/nowhere/at/all")).status).toBe(401);
});

test.each([
  "",
  "login",
  "/login?x",
  "/a#b",
  "/{any}",
  "/*",
  "/login/",
  "//login",
  "/../login",
  "/caf%C3%A9",
  7 as unknown as string,
])("skipPath(%j) fails at start", async (path) => {
  await expect(new App().use(new ApiKeyAuth({ k: "s" }).skipPath(path)).start()).rejects.toMatchObject({
    code: "AUTH_BAD_SKIP_PATH",
  });
});

test("/ skips only the root", async () => {
  const app = new App().use(new ApiKeyAuth({ k: "s" }).skipPath("/"));
  app.get("/", () => "root");
  await using client = testClient(app);
  expect([(await client.get("/")).status, (await client.get("/x")).status]).toEqual([200, 401]);
});

test("skipPath throws after start", async () => {
  const auth = new JwtAuth({ secret: "0123456789abcdef0123456789abcdef" });
  const app = await new App().use(auth).start();
  expect(() => auth.skipPath("/x")).toThrow(expect.objectContaining({ code: "AUTH_ALREADY_STARTED" }));
  await app.stop();
});

test("a blueprint's own authentication applies only to its routes, and skipPath takes their full paths", async () => {
  const app = new App();
  const api = new Blueprint("/api").use(new ApiKeyAuth({ k: "s" }).skipPath("/api/open"));
  api.get("/open", () => "open");
  api.get("/closed", () => "closed");
  app.get("/", () => "root");
  app.registerBlueprint(api);
  await using client = testClient(app);
  const statuses = await Promise.all(
    ["/", "/api/open", "/api/closed"].map(async (path) => (await client.get(path)).status),
  );
  expect(statuses).toEqual([200, 200, 401]);
  expect((await client.get("/api/closed", { headers: { "x-api-key": "k" } })).status).toBe(200);
});
