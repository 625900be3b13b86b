import { App, dependency, Depends } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { z } from "zod";
import { saga, sagas, type StartInput } from "./index.ts";

const input = z.object({ book: z.string(), at: z.coerce.date() });

const order = saga("order", 1, input)
  .tx(
    "reserve",
    ({ input: { book, at } }, tx) => {
      const text: string = at;
      // @ts-expect-error a stored date is a string
      const date: Date = at;
      void tx.execute`SELECT ${book}, ${text}, ${date}`;
      return { place: 7, since: new Date(0) };
    },
    {
      undo: (_, { place, since }, tx) => {
        const text: string = since;
        void tx.execute`SELECT ${place}, ${text}`;
      },
    },
  )
  .call(
    "charge",
    ({ outputs, ...context }) => {
      // @ts-expect-error only an undo has the key of another call
      void context.stepKey;
      const place: number = outputs.reserve.place;
      // @ts-expect-error a stored date is a string
      const since: Date = outputs.reserve.since;
      // @ts-expect-error a step gets only the outputs of the previous steps
      void outputs.packed;
      return [place, since] as const;
    },
    {
      undo: ({ stepKey }, output) => {
        const key: string = stepKey;
        void key;
        // @ts-expect-error the output may be undefined, because it may be unknown whether the step took effect
        void output.length;
      },
    },
  )
  .parallel("notify", (branch) => ({
    mail: branch(async ({ outputs }) => outputs.charge.length, { undo: (_, sent) => void (sent === 2) }),
    phone: branch(() => "called"),
  }))
  .waitFor("packed", { timeout: "3d", schema: z.object({ weight: z.number() }) })
  .when(
    ({ outputs }) => outputs.packed.weight > 10,
    (branch) => branch.call("crane", () => "lifted"),
  )
  // @ts-expect-error a duration has a unit
  .sleep("3 weeks")
  .pivot()
  .send("tell", ({ outputs, key }) => {
    const mail: number = outputs.notify.mail;
    const phone: string = outputs.notify.phone;
    const both = [mail, phone];
    const crane: string | undefined = outputs.crane;
    // @ts-expect-error the output of a step that may be skipped may be undefined
    const certain: string = outputs.crane;
    return { topic: "orders", type: "order.sent", key, data: [both, crane, certain] };
  })
  .build();

interface Payments {
  charge(amount: number): string;
  refund(charge: string): void;
}
const Payments = dependency<Payments>("payments");
saga("injected", 1, z.object({ amount: z.number() }))
  .tx("reserve", ({ input }, _tx, { payments }) => payments.charge(input.amount), {
    inject: { payments: Payments },
    undo: (_context, output, tx, { payments }) => {
      payments.refund(output);
      void tx.execute`SELECT 1`;
    },
  })
  .call("charge", ({ outputs }, { payments }) => payments.charge(outputs.reserve.length), {
    inject: { payments: Payments },
    undo: ({ stepKey }, output, { payments }) => payments.refund(output ?? stepKey),
    check: ({ id }, { payments }) => ({ output: payments.charge(id.length) }),
  })
  .parallel("both", (branch) => ({
    left: branch(({ input }, { payments }) => payments.charge(input.amount), {
      inject: { payments: Payments },
      undo: (_context, output, { payments }) => payments.refund(output ?? ""),
    }),
    right: branch(({ input }, payments = Depends(Payments)) => payments.charge(input.amount)),
  }))
  .tx("default", ({ outputs }, _tx, payments = Depends(Payments)) => payments.refund(outputs.both.right), {
    undo: (_context, _output, _tx, payments = Depends(Payments)) => payments.refund("again"),
  })
  .call(
    "beside",
    ({ input }, { payments }, other = Depends(Payments)) => other === payments && input.amount,
    {
      inject: { payments: Payments },
    },
  )
  // @ts-expect-error nothing is injected
  .call("none", (_context, { payments }) => payments)
  .build();

const app = new (App.with(database, durable, sagas))().enableDatabase().enableSaga({ maxRetries: 5 });
app.saga.define(order).define(
  saga("other", 2)
    .call("work", () => 1)
    .build(),
);
const given: StartInput<typeof order> = { book: "Emma", at: new Date(0) };
await app.saga.start(order, given, { key: "1" });
// @ts-expect-error a member of the wrong type
await app.saga.start(order, { book: 7, at: new Date(0) }, { key: "1" });
// @ts-expect-error a key is required
await app.saga.start(order, given, {});
