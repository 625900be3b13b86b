import { expect, test } from "@jest/globals";
import { saga, SagaReject } from "./index.ts";
import { FakePaymentService } from "./testing/fake-payment-service.test-kit.ts";
import { timeMachine } from "./testing.ts";

const orderSaga = (payments: FakePaymentService, isShippingRefused: boolean) =>
  saga("order", 1)
    .call("reserve", ({ idempotencyKey }) => payments.call(idempotencyKey), {
      undo: ({ idempotencyKey }) => payments.call(idempotencyKey),
    })
    .call("charge", ({ idempotencyKey }) => payments.call(idempotencyKey), {
      undo: ({ idempotencyKey }) => payments.call(idempotencyKey),
    })
    .sleep("24h")
    .call("ship", () => {
      if (isShippingRefused) throw new SagaReject("no");
    })
    .build();

test("after the loss of a worker, `plan` lists the steps to undo, and the next worker resumes the saga", async () => {
  const payments = new FakePaymentService();
  await using machine = await timeMachine(orderSaga(payments, false));
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

test("failed attempts count for `crashAfter`, and the failure after which the worker is lost is not recorded", async () => {
  let calls = 0;
  const flaky = saga("flaky", 1)
    .call("charge", () => {
      if (++calls < 3) throw new Error("no connection");
    })
    .build();
  await using machine = await timeMachine(flaky);
  await machine.start(null);
  expect(await machine.run({ crashAfter: 1 })).toBe(true);
  expect((await machine.timeline()).map(({ event }) => event)).toEqual(["start"]);
  expect(await machine.run({ crashAfter: 2 })).toBe(false); // the second attempt has failed, and the third is not due
  expect((await machine.timeline()).map(({ event }) => event)).toEqual(["start", "again"]);
  await machine.advance("1m");
  expect(await machine.run()).toBe(false);
  expect([calls, (await machine.info()).status]).toEqual([3, "completed"]);
});

test("concurrent runs of a time machine call each step once", async () => {
  const payments = new FakePaymentService();
  await using machine = await timeMachine(orderSaga(payments, false));
  await machine.start({ book: "Emma" });
  expect(await Promise.all([machine.run(), machine.run(), machine.run()])).toEqual([false, false, false]);
  expect(payments.calls.map((key) => key.split(":")[1])).toEqual(["reserve", "charge"]);
});

test("a time machine waits for a `provide` that returns a promise, and rejects with its error", async () => {
  const definition = orderSaga(new FakePaymentService(), false);
  const error = new Error("no such file");
  await expect(timeMachine(definition, { provide: () => Promise.reject(error) })).rejects.toBe(error);
});

test("after a crash at any step and at any undo, the saga ends compensated, and so does its replay", async () => {
  for (let crashAfter = 1; crashAfter <= 3; crashAfter++) {
    const payments = new FakePaymentService();
    await using machine = await timeMachine(orderSaga(payments, true));
    await machine.start({ book: "Emma" });
    for (let replays = 0; replays < 2; replays++) {
      const runs = [await machine.run({ crashAfter: Math.min(crashAfter, 2) }), await machine.run()];
      await machine.advance("24h");
      runs.push(await machine.run({ crashAfter }), await machine.run());
      expect(runs).toEqual([true, false, true, false]);
      expect([(await machine.info()).status, payments.net]).toEqual(["compensated", []]);
      await machine.replay();
    }
  }
});

test("a definition with mistakes is refused with the mistakes, and so is an advance by a fraction of a unit", async () => {
  const broken = saga("order", 1).sleep("1.5h").build();
  await expect(timeMachine(broken)).rejects.toMatchObject({
    code: "SAGA_BAD_DEFINITION",
    message: expect.stringMatching(/^saga order version 1: "sleep-1": its duration must be milliseconds/),
  });
  const unbuilt = saga("order", 1).call("reserve", () => 1) as never;
  await expect(timeMachine(unbuilt)).rejects.toMatchObject({
    code: "SAGA_BAD_DEFINITION",
    message: "timeMachine needs a built saga; end it with .build()",
  });
  await expect(timeMachine(null as never)).rejects.toMatchObject({ code: "SAGA_BAD_DEFINITION" });
  await using machine = await timeMachine(orderSaga(new FakePaymentService(), false));
  await expect(machine.advance("1.5h")).rejects.toMatchObject({ code: "SAGA_BAD_VALUE" });
});
