import { randomUUID } from "node:crypto";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "@framework/core";
import { barePostgres, bareSqlite, type BareWork } from "../durable/bare-work.ts";
import { gate, printTable } from "../measure/report.ts";
import { type Spent, startMeter } from "../measure/spent.ts";
import { estimate, formatEstimate } from "../measure/statistics.ts";
import { database, durable, messaging, startPostgres } from "./packages.ts";

const MIN_RATIO = 0.7;
const WARM_UP = 3;
const data = { order: 12_345, customer: "customer", items: ["first", "second", "third"] };

/** Maximum unsettled deliveries of a process, and rows per claim of the hand-written SQL. */
const PREFETCH = 32;

/** Finds a message that is not yet removed. Uses an index, because PostgreSQL has many dead rows. */
const RUNNING_ROW = "SELECT 1 FROM framework_work WHERE state = 'running' LIMIT 1";

const quiet = { info() {}, warn: console.warn, error: console.error };

/** Measures from the commit of the messages until all are handled and removed from the table. */
type Work = (messages: number) => Promise<Spent>;

const openSubscription = async (
  url: string,
): Promise<{ readonly work: Work; readonly close: () => Promise<void> }> => {
  const app = new (App.with(database, durable, messaging))()
    .enableDatabase({ url, slowQueryMs: 0 })
    .enableMessaging();
  let left = 0;
  let done = (): void => {};
  app.messaging.subscribe(
    "measured",
    { group: "bench", concurrency: PREFETCH / 2, prefetch: PREFETCH },
    (message) => {
      if (typeof message.data === "object" && --left === 0) done();
    },
  );
  await app.start({ log: quiet });
  const work: Work = async (messages) => {
    const all = Promise.withResolvers<void>();
    [left, done] = [messages, all.resolve];
    const batch = Array.from({ length: messages }, () => ({ type: "order.placed", data }));
    let spent = startMeter();
    await app.db.transaction(async (tx) => {
      await app.messaging.sendAll("measured", batch, { tx });
      spent = startMeter(); // visible from the commit on
    });
    await all.promise;
    while ((await app.db.fetchValue(RUNNING_ROW)) !== null) await new Promise(setImmediate);
    return spent();
  };
  return { work, close: () => app.stop() };
};

/** The stored text of a message: a CloudEvent with its headers. */
const storedText = JSON.stringify({
  specversion: "1.0",
  id: randomUUID(),
  type: "order.placed",
  source: "/",
  time: new Date().toISOString(),
  datacontenttype: "application/json",
  data,
  headers: { "content-type": "application/cloudevents+json" },
});

const handWritten =
  (bare: BareWork): Work =>
  async (messages) => {
    await bare.fill(messages, storedText);
    const spent = startMeter();
    await bare.work(PREFETCH, (payload) => {
      if (typeof payload !== "object") throw new TypeError("the payload must be the stored one");
    });
    return spent();
  };

const compare = async (
  label: string,
  { url, bare, rounds, messages }: { url: string; bare: BareWork; rounds: number; messages: number },
): Promise<void> => {
  const { work: ours, close } = await openSubscription(url);
  const hand = handWritten(bare);
  const samples: { readonly ours: Spent; readonly hand: Spent }[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const first = round % 2 === 0 ? await hand(messages) : null;
    const batch = await ours(messages);
    const other = first ?? (await hand(messages));
    if (round >= 0) samples.push({ ours: batch, hand: other });
  }
  await close();
  await bare.close();
  const ratio = estimate(samples.map((one) => one.hand.wallMs / one.ours.wallMs));
  const processor = estimate(samples.map((one) => one.hand.processorMs / one.ours.processorMs));
  const rate = (key: "ours" | "hand"): string =>
    formatEstimate(estimate(samples.map((one) => (messages * 1000) / one[key].wallMs)), 0);
  printTable(
    [
      label,
      "throughput, ours / SQL",
      "CPU time, SQL / ours",
      "subscription, messages/s",
      "hand-written SQL, rows/s",
    ],
    [
      [
        `${PREFETCH} in flight`,
        formatEstimate(ratio, 2),
        formatEstimate(processor, 2),
        rate("ours"),
        rate("hand"),
      ],
    ],
  );
  gate(
    ratio.median >= MIN_RATIO,
    `${label}: a subscription has at least ${MIN_RATIO} of the throughput of hand-written claim and completion\n`,
  );
};

/** Compares the broker on SQLite with hand-written SQL that claims and completes rows. */
export const measureSqlite = async (rounds: number, messages: number): Promise<void> => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "bench-messaging-"));
  const bare = await bareSqlite(join(folder.path, "bare.db"));
  await compare("SQLite", { url: `sqlite://${join(folder.path, "ours.db")}`, bare, rounds, messages });
};

/** Makes the same comparison on PostgreSQL without fsync. */
export const measurePostgres = async (rounds: number, messages: number): Promise<void> => {
  await using server = await startPostgres({ fsync: false });
  await compare("PostgreSQL", { url: server.url, bare: await barePostgres(server.url), rounds, messages });
};
