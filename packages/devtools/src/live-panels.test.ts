import { App } from "@framework/core";
import type { Feature, PanelCell } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { call, devApp, open, panelNamed, requestTo, serve } from "./dev-app.test-kit.ts";
import { devtools } from "./devtools.ts";
import type { Message } from "./messages.ts";

test("no credential, cookie, token, query value or body appears on the page", async () => {
  const app = devApp({}, [
    {
      name: "leaks",
      title: "Leaks",
      read: () => ({
        note: "postgres://me:canary-url@db/x",
        columns: ["Text"],
        rows: [
          { id: "1", cells: ["Authorization: Bearer canary-header"] },
          { id: "2", cells: ["GET /x?access=canary-cell"] },
          { id: "3", cells: ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.canary-jwt"] },
          { id: "4", cells: ['{"password":"canary-json","api_key":"canary-json"}'] },
          { id: "5", cells: ["Cookie: a=canary-cookie; b=canary-cookie"] },
        ],
      }),
      details: () => [
        { title: "Details", columns: ["Text"], rows: [{ id: "1", cells: ["token=canary-detail"] }] },
      ],
      actions: [
        {
          name: "fail",
          label: "Fail",
          on: "panel",
          run() {
            throw new Error("no connection to redis://:canary-error@host");
          },
        },
      ],
    },
  ]);
  app.post("/login", () => {
    throw new Error("bad password=canary-thrown for https://me:canary-thrown@host/?key=canary-thrown");
  });
  await using service = await serve(app);
  await using page = await open(service);
  await fetch(`${service.running.url}/login?token=canary-query&plain=canary-query`, {
    method: "POST",
    headers: {
      authorization: "Bearer canary-request",
      cookie: "session=canary-request",
      "x-why": "https://x/?q=canary-reason",
    },
    body: "password=canary-body",
  });
  await page.received(requestTo("/login"));
  await page.received(panelNamed("leaks"));
  await page.received(panelNamed("kettle"));
  const details = await call(service, { do: "details", panel: "leaks", row: "1" });
  const failed = await call(service, { do: "act", panel: "leaks", action: "fail", row: null, texts: {} });
  expect(failed).toMatchObject({ ok: false });
  const shown = page.text() + JSON.stringify([details, failed]);
  expect(shown.match(/.{30}canary.{10}/g)).toBeNull();
  expect(shown).not.toContain(service.page.token);
  expect(shown).toContain("no connection to redis://(hidden)@host");
});

test("a panel that fails or is too long shows a note; the others are shown", async () => {
  const app = devApp({}, [
    {
      name: "broken",
      title: "Broken",
      read() {
        throw new RangeError("too far");
      },
      actions: [
        {
          name: "throw",
          label: "Throw",
          on: "panel",
          run() {
            throw null;
          },
        },
      ],
    },
    {
      name: "odd",
      title: "Odd",
      read() {
        throw Object.assign(new Error("x"), { message: { code: 7 } });
      },
    },
    {
      name: "long",
      title: "Long",
      read: () => ({
        columns: ["Number"],
        rows: Array.from({ length: 500 }, (_, n) => ({ id: String(n), cells: [n] })),
      }),
    },
    {
      name: "huge",
      title: "Huge",
      read: () => ({
        columns: ["Text"],
        rows: Array.from({ length: 200 }, (_, n) => ({ id: String(n), cells: ["x".repeat(500)] })),
      }),
    },
  ]);
  await using service = await serve(app);
  await using page = await open(service);
  expect((await page.received(panelNamed("broken"))).panel.content.note).toBe(
    "The panel could not be read: too far",
  );
  expect((await page.received(panelNamed("odd"))).panel.content.note).toBe(
    'The panel could not be read: {"code":7}',
  );
  const thrown = await call(service, { do: "act", panel: "broken", action: "throw", row: null, texts: {} });
  expect(thrown).toEqual({ ok: false, code: "", message: "null" });
  const { content } = (await page.received(panelNamed("long"))).panel;
  expect([content.rows.length, content.note]).toEqual([200, "300 more rows are not shown"]);
  expect((await page.received(panelNamed("huge"))).panel.content.note).toBe("The panel is too large to show");
});

/** A feature whose values cannot be read, and whose panel has a number that JSON cannot represent. */
const cellar: Feature<{ enableCellar(): unknown }> = {
  name: "cellar",
  install: (host) => ({
    enableCellar() {
      host.insight.expose("cellar", () => {
        throw new Error("the cellar is closed");
      });
      const bottles = 9_007_199_254_740_993n as unknown as PanelCell; // as an untyped feature may publish it
      const read = () => ({ columns: ["Bottles"], rows: [{ id: "red", cells: [bottles] }] });
      host.insight.panel({ name: "wine", title: "Wine", read, details: () => [{ title: "Red", ...read() }] });
    },
  }),
};

test("after values that cannot be read, and cells that JSON cannot represent, the panels and the service continue", async () => {
  const app = new (App.with(devtools, cellar))().enableDevtools();
  app.enableCellar();
  app.get("/", () => "hello");
  await using service = await serve(app);
  await using page = await open(service);
  expect((await page.received(panelNamed("cellar"))).panel).toMatchObject({
    title: "Values of cellar",
    content: { rows: [{ cells: ["error", "the cellar is closed"] }] },
  });
  const cells = ["9007199254740993"];
  expect((await page.received(panelNamed("wine"))).panel.content.rows).toEqual([{ id: "red", cells }]);
  const details = await call(service, { do: "details", panel: "wine", row: "red" });
  expect(details).toMatchObject({ ok: true, tables: [{ title: "Red", rows: [{ id: "red", cells }] }] });
  const isTraffic = (message: Message): message is Extract<Message, { type: "traffic" }> =>
    message.type === "traffic";
  await page.received(isTraffic); // sent by a timer, after the panels
  expect(await (await fetch(`${service.running.url}/`)).text()).toBe("hello");
});
