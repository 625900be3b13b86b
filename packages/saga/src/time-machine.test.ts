import { expect, test } from "@jest/globals";
import { saga, SagaReject } from "./index.ts";
import { FakePaymentService } from "./testing/fake-payment-service.test-kit.ts";
import { timeMachine } from "./testing.ts";

const made = (payments: FakePaymentService, isRefused: boolean) =>
  saga("order", 1)
    .call("reserve", ({ idempotencyKey }) => payments.call(idempotencyKey), {
      undo: ({ idempotencyKey }) => payments.call(idempotencyKey),
    })
    .call("charge", ({ idempotencyKey }) => payments.call(idempotencyKey), {
      undo: ({ idempotencyKey }) => payments.call(idempotencyKey),
    })
    .sleep("24h")
    .call("ship", () => {
      if (isRefused) throw new SagaReject("no");
    })
    .build();

test("after a worker is lost the machine shows the undo plan, and the next worker resumes", async () => {
  const payments = new FakePaymentService();
  await using machine = await timeMachine(made(payments, false));
  await machine.start({ book: "Emma" });
  expect(await machine.run({ crashAfter: 2 })).toBe(true);
  expect(await machine.plan()).toEqual(["charge", "reserve"]);
  expect((await machine.info()).steps.map(({ step, status }) => `${step} ${status}`)).toEqual([
    "reserve done",
    "charge started",
  ]);
  expect(await machine.run()).toBe(false);
  expect((await machine.info()).status).toBe("waiting");
  await machine.advance("24h");
  await machine.run();
  expect((await machine.info()).status).toBe("completed");
  expect(payments.calls.map((key) => key.split(":")[1])).toEqual(["reserve", "charge", "charge"]);
  expect(payments.net).toHaveLength(2);
});

test("replays of one saga, each with a crash after another attempt, all have the same end", async () => {
  for (let crashAfter = 1; crashAfter <= 6; crashAfter++) {
    const payments = new FakePaymentService();
    await using machine = await timeMachine(made(payments, true));
    await machine.start({ book: "Emma" });
    for (let replays = 0; replays < 2; replays++) {
      const runs = [await machine.run({ crashAfter }), await machine.run()];
      await machine.advance("24h");
      runs.push(await machine.run({ crashAfter }), await machine.run());
      expect([(await machine.info()).status, payments.net]).toEqual(["compensated", []]);
      await machine.replay();
    }
  }
});
