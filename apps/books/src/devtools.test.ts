import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { pageOf, withService } from "./dev-page.test-kit.ts";

test("in production there is no dev page", () =>
  withService("production", async ({ service, page }) => {
    expect(page).toBeNull();
    expect(service.listeners).toEqual([]);
  }));

test("in development the page shows requests, and a panel of every feature that publishes one", () =>
  withService("development", async ({ service, page: url }) => {
    const live = await pageOf(url).listen();
    const names = [
      "cache",
      "circuits",
      "faults",
      "limits",
      "parked",
      "projections",
      "sagas",
      "streams",
      "subscriptions",
      "time-machine",
      "work",
    ];
    await waitFor(() => names.every((name) => live.text().includes(`"panel":{"name":"${name}"`)), {
      subject: "the panels",
      timeoutMs: 60_000,
    });
    await fetch(`${service.url}/books?author=Austen`, { headers: { authorization: "Bearer canary" } });
    await waitFor(() => live.text().includes('"method":"GET","path":"/books","route":"/books"'), {
      subject: "the request",
      timeoutMs: 60_000,
    });
    const [, request = ""] = /data: (.*"type":"request".*"path":"\/books".*)/.exec(live.text()) ?? [];
    expect(request).toContain('"route":"/books"');
    expect(request).toContain("the circuit GET /books is closed");
    expect(request).toContain("requests remain");
    expect(request).not.toMatch(/canary|Austen/);
    live.stop();
  }));

test("the page opens and closes circuits, and adds and removes faults", () =>
  withService("development", async ({ service, page: url }) => {
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

test("an order runs in the time machine: its worker crashes after the payment, and the plan undoes the payment and the reservation", () =>
  withService("development", async ({ page: url }) => {
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
    expect(await act("time-machine", "run", row)).toMatchObject({ message: "Nothing more is due" });
    expect(await act("time-machine", "cancel", row)).toMatchObject({ ok: true });
    await act("time-machine", "run", row);
    expect(JSON.stringify(await details("time-machine", row))).toContain("compensated");
  }));
