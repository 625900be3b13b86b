import { expect, test } from "@jest/globals";
import { virtualClock } from "@framework/core/testing";
import type { RequestOutcome } from "../load/open-loop.ts";
import { steadyLoad } from "./steady-load.ts";

test("replies, errors, refusals after the signal and broken connections are counted separately", async () => {
  const clock = virtualClock();
  let outcome: RequestOutcome = 200;
  const load = steadyLoad(async () => outcome, 10, clock);
  await clock.advance(950);
  outcome = 503;
  await clock.advance(200);
  outcome = "ECONNREFUSED"; // before the signal: the service is down
  await clock.advance(100);
  load.markSignalled();
  await clock.advance(300);
  outcome = "ECONNRESET";
  await clock.advance(100);
  await load.stop(1000);
  const { answered, errors, refused, dropped, codes } = load.counts;
  expect({ answered, errors, refused, dropped, codes: { ...codes } }).toEqual({
    answered: 10,
    errors: 2,
    refused: 3,
    dropped: 2,
    codes: { ECONNREFUSED: 1, ECONNRESET: 1 },
  });
});

test("requests without a reply at the end count as dropped", async () => {
  const clock = virtualClock();
  const load = steadyLoad(() => new Promise<never>(() => {}), 10, clock);
  await clock.advance(250);
  const stopped = load.stop(1000);
  await clock.advance(1000);
  await stopped;
  expect(load.counts).toMatchObject({ dropped: 3, codes: { "no reply": 3 } });
});
