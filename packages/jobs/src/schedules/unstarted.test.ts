import { expect, test } from "@jest/globals";
import { jobApp, withStarted } from "../testing/job-app.test-kit.ts";

test("the schedules of an app that has not started have no next runs", async () => {
  const app = jobApp({ url: "sqlite://:memory:" }, { runWork: false });
  const note = app.jobs.define("note", {}, () => {});
  app.jobs.schedule("nightly", { cron: "@daily", job: note });
  const nightly = { name: "nightly", cron: "@daily", timeZone: "UTC", job: "note" };
  expect(await app.jobs.schedules()).toEqual([{ ...nightly, nextRunAt: null }]);
  await withStarted(app, async () => {
    expect(await app.jobs.schedules()).toEqual([{ ...nightly, nextRunAt: expect.any(Number) }]);
  });
});
