import { connect } from "node:net";
import type { Panel } from "@framework/core/feature";
import { freePort } from "@framework/services/free-port";
import { expect, test } from "@jest/globals";
import { sendToPage, call, devApp, open, serve } from "./dev-app.test-kit.ts";

const counterPanel = () => {
  let count = 0;
  const panel: Panel = {
    name: "counter",
    title: "Counter",
    read: () => ({ columns: ["Count"], rows: [{ id: "count", cells: [count] }] }),
    actions: [{ name: "add", label: "Add", on: "panel", run: () => void count++ }],
  };
  return { panel, count: () => count };
};

const body = JSON.stringify({ do: "act", panel: "counter", action: "add" });

test("an action requires the token, the page's host name and its origin", async () => {
  const { panel, count } = counterPanel();
  await using service = await serve(devApp({}, [panel]));
  const { port, token } = service.page;
  const good = {
    host: `127.0.0.1:${port}`,
    origin: `http://127.0.0.1:${port}`,
    "sec-fetch-site": "same-origin",
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
  };
  const { authorization: _, ...withoutToken } = good;
  const refused: readonly (readonly [status: number, headers: Readonly<Record<string, string>>])[] = [
    [401, withoutToken],
    [401, { ...good, authorization: "Bearer " }],
    [401, { ...good, authorization: `Bearer ${token.slice(1)}` }],
    [401, { ...good, authorization: `Bearer ${token}x` }],
    [401, { ...good, authorization: `Basic ${token}` }],
    [401, { ...withoutToken, cookie: `devtools.token=${token}` }],
    [403, { ...good, host: `rebound.example:${port}`, origin: `http://rebound.example:${port}` }],
    [403, { ...good, host: "127.0.0.1" }],
    [403, { ...good, host: `127.0.0.1:${port + 1}` }],
    [403, { ...good, host: `127.0.0.1.example:${port}` }],
    [403, { ...good, origin: "http://other.example" }],
    [403, { ...good, origin: "null" }],
    [403, { ...good, origin: `https://127.0.0.1:${port}` }],
    [403, { ...good, origin: `http://localhost:${port}` }],
    [403, { ...good, "sec-fetch-site": "cross-site" }],
    [403, { ...good, "sec-fetch-site": "same-site" }],
    [415, { ...good, "content-type": "text/plain" }],
    [415, { ...good, "content-type": "application/x-www-form-urlencoded" }],
  ];
  for (const [status, headers] of refused)
    expect([headers, (await sendToPage(service, "/call", { method: "POST", headers, body })).status]).toEqual(
      [headers, status],
    );
  expect(count()).toBe(0);
  for (const name of ["localhost", "[::1]", "127.0.0.1"]) {
    const headers = { ...good, host: `${name}:${port}`, origin: `http://${name}:${port}` };
    expect((await sendToPage(service, "/call", { method: "POST", headers, body })).status).toBe(200);
  }
  expect(count()).toBe(3);
});

test("the stream needs the token; the files of the page have no data and need none", async () => {
  await using service = await serve(devApp());
  expect((await sendToPage(service, "/live")).status).toBe(401);
  expect((await sendToPage(service, `/live?token=${service.page.token}`)).status).toBe(401);
  const { status, body: html, fields } = await sendToPage(service, "/");
  expect(status).toBe(200);
  expect(html).toContain("<title>Devtools</title>");
  expect(html).not.toContain(service.page.token);
  expect(fields).toMatchObject({
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
  });
  const policy = String(fields["content-security-policy"]);
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
  expect(policy).not.toContain("unsafe");
  expect(fields["access-control-allow-origin"]).toBeUndefined();
  for (const file of ["/page.js", "/page.css"]) expect((await sendToPage(service, file)).status).toBe(200);
  for (const path of ["/../package.json", "/page.html", "/%2e%2e/package.json", "/__proto__", "/toString"])
    expect([path, (await sendToPage(service, path)).status]).toEqual([path, 404]);
});

test("a link on another site opens the page without the token; files and calls from there are refused", async () => {
  await using service = await serve(devApp());
  const from = { "sec-fetch-site": "cross-site" };
  expect(
    (await sendToPage(service, "/", { headers: { ...from, "sec-fetch-dest": "document" } })).status,
  ).toBe(200);
  expect((await sendToPage(service, "/", { headers: { ...from, "sec-fetch-dest": "iframe" } })).status).toBe(
    403,
  );
  expect(
    (await sendToPage(service, "/page.js", { headers: { ...from, "sec-fetch-dest": "script" } })).status,
  ).toBe(403);
});

test("each run has its own token of 256 bits", async () => {
  await using one = await serve(devApp());
  await using other = await serve(devApp());
  expect(one.page.token).toMatch(/^[\w-]{43}$/);
  expect(other.page.token).not.toBe(one.page.token);
});

test("a body above 128 KiB, invalid JSON and an invalid call are refused", async () => {
  await using service = await serve(devApp());
  const headers = { authorization: `Bearer ${service.page.token}`, "content-type": "application/json" };
  const post = async (text: string) =>
    (await sendToPage(service, "/call", { method: "POST", headers, body: text })).status;
  expect(await post(`"${"x".repeat(140_000)}"`)).toBe(413);
  expect(await post("{")).toBe(400);
  for (const value of [
    null,
    1,
    [],
    {},
    { do: "act", panel: 1 },
    { do: "details", panel: "faults" },
    { do: "act", panel: "faults", action: "add", texts: { on: 1 } },
  ])
    expect([value, await post(JSON.stringify(value))]).toEqual([value, 422]);
});

test("unknown panels, actions and rows fail with an error code", async () => {
  await using service = await serve(devApp());
  const act = { do: "act", panel: "faults", row: null, texts: {} } as const;
  for (const request of [
    { ...act, panel: "nowhere", action: "add" },
    { ...act, action: "explode" },
    { ...act, action: "remove" },
    { ...act, panel: "__proto__", action: "add" },
    { do: "details", panel: "faults", row: "0" } as const,
  ])
    expect(await call(service, request)).toMatchObject({ ok: false, code: "DEVTOOLS_NO_ACTION" });
});

test("a call of another worker whose texts are too long fails with an error code", async () => {
  await using service = await serve(devApp());
  const texts = { name: "x".repeat(70_000) };
  const request = { do: "act", panel: "faults", action: "add", row: null, texts } as const;
  expect(await call(service, request, "0")).toEqual({
    ok: false,
    code: "DEVTOOLS_NO_ACTION",
    message: "the texts of the action are too long",
  });
});

const answersOn = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port }, () => {
      socket.destroy();
      resolve(true);
    }).on("error", () => resolve(false));
  });

test("in production no port opens, and the log gives the reason", async () => {
  const port = await freePort();
  const app = devApp({ port });
  app.get("/", () => "hello");
  await using service = await serve(app, { env: "production" });
  expect(app.devtoolsUrl).toBeNull();
  expect(service.running.listeners).toEqual([]);
  expect(await answersOn("127.0.0.1", port)).toBe(false);
  expect(service.logged).toContainEqual({
    message: "devtools: disabled in production; call enableDevtools in development only",
    fields: { code: "DEVTOOLS_IN_PRODUCTION" },
  });
  expect(await (await fetch(service.running.url)).text()).toBe("hello");
});

test("a service with configured faults does not start in production", async () => {
  const app = devApp({ faults: [{ on: "route", fault: "error" }] });
  await expect(serve(app, { env: "production" })).rejects.toMatchObject({
    cause: { code: "DEVTOOLS_FAULTS_IN_PRODUCTION" },
  });
});

test("the link is logged once, with the token, and open streams do not delay the shutdown of the service", async () => {
  const service = await serve(devApp(), { logs: true });
  const { origin, token } = service.page;
  expect(service.logged).toEqual([{ message: `devtools: ${origin}/#token=${token}`, fields: undefined }]);
  await using page = await open(service);
  await service.running.close();
  expect(page.text()).toContain("event: hello");
});
