import type { Environment, Running } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createBooksApp } from "./app.ts";
import { booksSettings } from "./settings.ts";

const quiet = { info() {}, warn() {}, error() {} };

const running = async (env: Environment, facts: (service: Running, page: URL | null) => Promise<void>) => {
  const app = createBooksApp(booksSettings({ DATABASE_URL: "sqlite://:memory:", BOOKS_LOG: "silent" }));
  const options = { host: "127.0.0.1", port: 0, argv: [], environment: {}, workers: 1, exitOnError: false };
  const service = await app.run({ ...options, env, debug: env === "development", log: quiet });
  try {
    await facts(service, app.devtoolsUrl === null ? null : new URL(app.devtoolsUrl));
  } finally {
    await service.close();
  }
};

/** The dev page of a service, as its page in a browser uses it. */
const pageOf = (url: URL | null) => {
  if (url === null) throw new Error("there is no dev page");
  const headers = {
    authorization: `Bearer ${url.hash.slice("#token=".length)}`,
    "content-type": "application/json",
  };
  const post = async (body: object): Promise<unknown> =>
    (await fetch(new URL("/call", url), { method: "POST", headers, body: JSON.stringify(body) })).json();
  return {
    act: (panel: string, action: string, row: string | null, texts: Readonly<Record<string, string>> = {}) =>
      post({ do: "act", panel, action, row, texts }),
    details: (panel: string, row: string) => post({ do: "details", panel, row }),
    async listen(): Promise<{ readonly text: () => string; readonly stop: () => void }> {
      const end = new AbortController();
      const reply = await fetch(new URL("/live", url), { headers, signal: end.signal });
      let text = "";
      void (async () => {
        for await (const chunk of reply.body ?? []) text += new TextDecoder().decode(chunk as Uint8Array);
      })().catch(() => {}); // stopped below
      return { text: () => text, stop: () => end.abort() };
    },
  };
};

test("in production there is no dev page", () =>
  running("production", async (service, page) => {
    expect(page).toBeNull();
    expect(service.listeners).toEqual([]);
  }));

test("in development the page shows requests, and a panel of every feature that publishes one", () =>
  running("development", async (service, url) => {
    const live = await pageOf(url).listen();
    const names = ["cache", "circuits", "faults", "parked", "projections", "sagas", "time-machine", "work"];
    await waitFor(() => names.every((name) => live.text().includes(`"panel":{"name":"${name}"`)), {
      what: "the panels",
      timeoutMs: 60_000,
    });
    await fetch(`${service.url}/books?author=Austen`, { headers: { authorization: "Bearer canary" } });
    await waitFor(() => live.text().includes('"method":"GET","path":"/books","route":"/books"'), {
      what: "the request",
      timeoutMs: 60_000,
    });
    const [, request = ""] = /data: (.*"tell":"request".*"path":"\/books".*)/.exec(live.text()) ?? [];
    expect(request).toContain('"route":"/books"');
    expect(request).toContain("the circuit GET /books is closed");
    expect(request).not.toMatch(/canary|Austen/);
    live.stop();
  }));

test("circuits are opened and closed, and faults come and go, on the page", () =>
  running("development", async (service, url) => {
    const { act } = pageOf(url);
    const status = async () => (await fetch(`${service.url}/books`)).status;
    expect(await status()).toBe(200);
    expect(await act("cache", "drop", null, { tags: "books" })).toMatchObject({ ok: true });
    expect(await act("circuits", "trip", "GET /books")).toMatchObject({ ok: true });
    expect(await status()).toBe(503);
    expect(await act("circuits", "reset", "GET /books")).toMatchObject({ ok: true });
    expect(await status()).toBe(200);
    const fault = {
      on: "route",
      name: "GET /books/{id}",
      fault: "error",
      probability: "1",
      ms: "0",
      status: "504",
    };
    expect(await act("faults", "add", null, fault)).toMatchObject({ ok: true });
    expect((await fetch(`${service.url}/books/1`)).status).toBe(504);
    expect(await act("faults", "clear", null)).toMatchObject({ ok: true });
    expect((await fetch(`${service.url}/books/1`)).status).toBe(404);
  }));

test("an order runs in the time machine: its worker is lost after the payment, and the plan refunds and puts back", () =>
  running("development", async (_, url) => {
    const { act, details } = pageOf(url);
    const row = "order version 1";
    const order = { order: 7, book: 1, copies: 1, card: "4242" };
    expect(await act("time-machine", "start", row, { input: JSON.stringify(order) })).toMatchObject({
      ok: true,
    });
    const lost = await act("time-machine", "run", row, { crashAfter: "2" });
    expect(lost).toMatchObject({ ok: true, message: expect.stringContaining("lost") });
    expect(await details("time-machine", row)).toMatchObject({
      tables: [{ title: "Compensation plan", rows: [{ cells: ["charge"] }, { cells: ["reserve"] }] }, {}, {}],
    });
    expect(await act("time-machine", "run", row)).toMatchObject({ message: "Nothing is due any more" });
    expect(await act("time-machine", "cancel", row)).toMatchObject({ ok: true });
    await act("time-machine", "run", row);
    expect(JSON.stringify(await details("time-machine", row))).toContain("compensated");
  }));
