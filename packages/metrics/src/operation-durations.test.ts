import { App } from "@framework/core";
import type { Feature, Operations } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { parseExposition } from "./exposition-parser.test-kit.ts";
import { prometheus } from "./index.ts";

/** A third-party feature that does not know this one. */
const mailing: Feature<{ readonly mails: Operations<string> }> = {
  name: "mailing",
  install: ({ insight }) => ({
    mails: insight.operation<string>({ kind: "mail", role: "client", describe: (name) => ({ name }) }),
  }),
};

const scrape = async (app: App) =>
  parseExposition(await (await app.fetch(new Request("http://localhost/metrics"))).text());

test.each([
  ["before", App.with(mailing, prometheus)],
  ["after", App.with(prometheus, mailing)],
])("operations of a feature composed %s this one are timed by name and outcome", async (_, Class) => {
  const app = new Class().enablePrometheus({ processMetrics: false, durationBuckets: [60] });
  void app.mails.run("welcome", () => "sent");
  void app.mails.run("welcome", () => "sent");
  expect(() =>
    app.mails.run("invoice", () => {
      throw new Error("no server");
    }),
  ).toThrow("no server");
  const parsed = await scrape(app);
  const count = (name: string, outcome: string): number | undefined =>
    parsed.value("framework_operation_duration_seconds_count", {
      kind: "mail",
      role: "client",
      name,
      outcome,
    });
  expect([count("welcome", "ok"), count("invoice", "error")]).toEqual([2, 1]);
  expect(
    parsed.value("framework_operation_duration_seconds_bucket", {
      kind: "mail",
      role: "client",
      name: "welcome",
      outcome: "ok",
      le: "60",
    }),
  ).toBe(2);
});

test("requests are left to the request metrics", async () => {
  const app = new (App.with(prometheus))().enablePrometheus({ processMetrics: false });
  app.get("/", () => "hello");
  await app.fetch(new Request("http://localhost/"));
  const { samples = [] } = (await scrape(app)).families.get("framework_operation_duration_seconds") ?? {};
  expect(samples).toEqual([]);
});

test("with operations: false they cost nothing", async () => {
  const app = new (App.with(mailing, prometheus))().enablePrometheus({ operations: false });
  expect(app.mails.isObserved).toBe(false);
  expect((await scrape(app)).families.has("framework_operation_duration_seconds")).toBe(false);
});
