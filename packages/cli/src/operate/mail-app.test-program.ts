import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { database } from "@framework/database";
import { durable, type DurableMethods, NonRetryableError } from "@framework/durable";
import { kernelOf, type WorkQueue } from "@framework/durable/feature";
import { jobs } from "@framework/jobs";
import { messaging } from "@framework/messaging";
import { waitFor } from "@framework/testing";

const send = (): string => {
  if (process.env["MAIL_IS_DOWN"] === "1") throw new NonRetryableError("there is no mail server");
  return "sent";
};

interface Mailing {
  enableMailing(): this;
  readonly mail: WorkQueue<string>;
}

/** A queue whose work is parked after its last attempt; failed jobs are kept. */
const mailing: Feature<Mailing, DurableMethods> = {
  name: "mailing",
  install: (_host, needs) => {
    const mail = kernelOf(needs).use("mailing").queue<string>({ name: "mail", keepSecs: 3600, handle: send });
    return {
      enableMailing() {
        return this;
      },
      mail,
    };
  },
};

const compose = () => {
  const app = new (App.with(database, durable, jobs, messaging, mailing))()
    .enableDatabase({ url: `sqlite://${process.env["MAIL_DATABASE"]}` })
    .enableMessaging()
    .enableMailing();
  const retry = { quickTries: 1, delaysMs: [] };
  app.messaging.subscribe("orders", { group: "billing", retry }, () => void send());
  return { app, sendMail: app.jobs.define("send-mail", {}, send) };
};

/** Creates the app, with a job, a queue and a subscription that fail permanently while `MAIL_IS_DOWN` is 1. */
export const createApp = (): App => compose().app;

if (import.meta.main) {
  const { app, sendMail } = compose();
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  if (process.env["MAIL_IS_DOWN"] === "1") {
    await sendMail.enqueueAll([{ input: undefined }, { input: undefined }]);
    const names = ["ann", "bob", "cid", ...Array<string>(Number(process.env["MAIL_MORE"] ?? 0)).fill("dan")];
    for (const to of names) await app.mail.enqueue({ payload: to });
    const orders = Number(process.env["MAIL_ORDERS"] ?? 0);
    for (let at = 0; at < orders; at++)
      await app.messaging.send("orders", { type: "order.placed", data: at });
    await waitFor(async () => (await app.durable.parked.count()) === names.length + orders, {
      timeoutMs: 60_000,
    });
    await waitFor(async () => (await sendMail.list({ state: "failed" })).jobs.length === 2, {
      timeoutMs: 60_000,
    });
  } else {
    await waitFor(async () => (await sendMail.list({ state: "done" })).jobs.length === 1, {
      timeoutMs: 60_000,
    });
    await waitFor(async () => (await app.mail.list({ state: "done" })).items.length === 2, {
      timeoutMs: 60_000,
    });
  }
  await app.stop();
}
