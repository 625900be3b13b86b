import { socketClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type Browser, browserOn } from "../browser.test-kit.ts";
import { createProtectedApp } from "../protected-app.ts";

/** Runs a test with a protected service and two browsers. */
const withBrowsers = (facts: (phone: Browser, laptop: Browser) => Promise<void>) => async () => {
  const app = createProtectedApp();
  await using client = socketClient(app);
  await facts(browserOn(client), browserOn(client));
};

/** Header fields with the CSRF token of a browser. */
const csrfHeaders = ({ cookies }: Browser) => ({ "x-csrf-token": cookies.get("_csrf") ?? "" });

const send = (browser: Browser, method: string, path: string, json?: unknown) =>
  browser.request(method, path, { ...(json !== undefined && { json }), headers: csrfHeaders(browser) });

const add = (browser: Browser) => send(browser, "POST", "/books", { title: "Emma" });

const logIn = async (browser: Browser, password = "p") => {
  await browser.request("GET", "/session");
  return send(browser, "POST", "/session", { user: "ann", password });
};

const userOf = async (browser: Browser): Promise<unknown> =>
  (await browser.request("GET", "/session")).json<{ user: unknown }>().user;

test(
  "a login changes the session id and the CSRF token, and a logged-in session may write",
  withBrowsers(async (browser) => {
    expect(await userOf(browser)).toBeNull();
    expect((await add(browser)).status).toBe(401);
    expect((await logIn(browser, "wrong")).status).toBe(401);
    const ids = new Set<string | undefined>();
    for (let login = 0; login < 2; login++) {
      expect((await logIn(browser)).json()).toEqual({ user: "ann" });
      for (const name of ["session_id", "_csrf"]) ids.add(browser.cookies.get(name));
    }
    expect([ids.size, ids.has(undefined)]).toEqual([4, false]);
    expect((await add(browser)).status).toBe(201);
    expect(await userOf(browser)).toBe("ann");
  }),
);

test(
  "a request without the CSRF token of its session, or with the token of another session, changes nothing",
  withBrowsers(async (browser, other) => {
    await logIn(browser);
    await logIn(other);
    for (const headers of [{}, csrfHeaders(other)])
      expect((await browser.request("POST", "/books", { json: { title: "Emma" }, headers })).status).toBe(
        403,
      );
    expect((await browser.request("GET", "/books")).json()).toMatchObject({ total: 0 });
  }),
);

test(
  "a logout ends one session, and a logout everywhere ends all sessions of the user",
  withBrowsers(async (phone, laptop) => {
    await logIn(phone);
    await logIn(laptop);
    expect((await send(phone, "DELETE", "/session")).status).toBe(204);
    expect([await userOf(phone), await userOf(laptop)]).toEqual([null, "ann"]);
    expect((await send(phone, "DELETE", "/sessions")).status).toBe(401);
    await logIn(phone);
    expect((await send(laptop, "DELETE", "/sessions")).status).toBe(204);
    expect([await userOf(phone), await userOf(laptop)]).toEqual([null, null]);
    expect((await add(phone)).status).toBe(401);
  }),
);
