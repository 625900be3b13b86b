import { App, HttpError, retry, retryPolicy, timeout } from "@framework/core";
import { virtualClock } from "@framework/core/testing";
import { testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";

const policy = retryPolicy({ attempts: 3, delayMs: 1 });

test("retry middleware repeats a failed request, but not one that timed out", async () => {
  const clock = virtualClock();
  const calls = { fails: 0, hangs: 0 };
  const app = new App().use(retry({ policy })).use(timeout({ timeoutMs: 50, clock }));
  app.get("/fails", () => {
    if (++calls.fails < 3) throw new HttpError(503, "later");
    return "done";
  });
  app.get("/hangs", () => {
    calls.hangs++;
    return new Promise(() => {});
  });
  await using client = testClient(app);
  expect([(await client.get("/fails")).status, calls.fails]).toEqual([200, 3]);
  const hanging = client.get("/hangs");
  await waitFor(() => calls.hangs === 1);
  await clock.advance(50);
  expect([(await hanging).status, calls.hangs]).toEqual([504, 1]);
});

test("retry middleware does not repeat a request that exceeded the route's timeoutSecs", async () => {
  let calls = 0;
  const app = new App().use(retry({ policy }));
  app.get("/", { timeoutSecs: 0.01 }, () => {
    calls++;
    return new Promise(() => {});
  });
  await using client = testClient(app);
  expect([(await client.get("/")).status, calls]).toEqual([504, 1]);
});
