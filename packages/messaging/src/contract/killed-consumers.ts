import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { DeliveryRecorder, type DeliveryRecorderOptions } from "./harness/delivery-recorder.ts";
import { fast } from "./harness/poison-messages.ts";
import { TestApp } from "./harness/test-app.ts";
import { shortPause, until } from "./harness/until.ts";

/** Result of `effectsDespiteKills`, as message ids. */
export interface KillResult {
  /** Messages that took effect, grouped by key, in the order of the commits. */
  readonly effects: readonly string[];
  /** Messages that were sent, grouped by key. */
  readonly expected: readonly string[];
}

/** Messages to send, and how consumers are killed meanwhile. */
export interface KillPlan extends DeliveryRecorderOptions {
  /** Number of messages to send. */
  readonly messages: number;
  /** Kills consumers until `isEnough` resolves with `true`. */
  readonly kill: (isEnough: () => Promise<boolean>) => Promise<void>;
}

/** Subscribes a process whose handler inserts a row in the transaction of the inbox. @param onFirst called at the first message */
export const subscribeEffects = (
  { messaging, topic, group }: TestApp,
  order: "none" | "key",
  onFirst: () => void = () => {},
): void => {
  let hasHandled = false;
  const options = { group, order, dedupe: "inbox", retry: { ...fast, quickTries: 100 } } as const;
  messaging.subscribe(topic, options, async ({ id, key }, { tx }) => {
    await tx.execute("INSERT INTO effects (message, key) VALUES ($1, $2)", [id, key ?? ""]);
    if (!hasHandled) onFirst();
    hasHandled = true;
  });
};

/**
 * Sends messages while consumers on one database are killed, lets another process handle the rest, and returns the effects.
 *
 * @param fixture a fixture with the address of a SQLite file
 */
export const effectsDespiteKills = async (
  fixture: BrokerFixture,
  order: "none" | "key",
  { messages, kill, ...options }: KillPlan,
): Promise<KillResult> => {
  const recorder = new DeliveryRecorder(messages, options);
  await prepare(fixture, order);
  await using sender = await new TestApp({ ...fixture, databaseUrl: "sqlite://:memory:" }).start();
  const sending = recorder.send(sender, sender.topic);
  {
    await using watcher = new TestApp(fixture);
    await watcher.start();
    const divisor = recorder.total > 10_000 ? 2 : 10; // in a short test most effects happen after the kills
    await kill(async () => (await countOf(watcher)) >= recorder.total / divisor);
  }
  await using last = new TestApp(fixture);
  subscribeEffects(last, order);
  await last.start();
  await sending;
  await until(
    "all effects",
    async () => (await countOf(last)) >= recorder.total,
    120_000 + recorder.total * 20,
  );
  await shortPause(); // time for duplicate effects, which must not happen
  const rows = await last.app.db.query<{ message: string; key: string }>(
    "SELECT message, key FROM effects ORDER BY place",
  );
  const rowsByKey = Map.groupBy(rows, ({ key }) => key);
  const effects = recorder.keys.flatMap((key) => rowsByKey.get(key) ?? []);
  return { effects: effects.map(({ message }) => message), expected: recorder.ids };
};

/** Creates the table and the group: a broker may drop messages without a group. */
const prepare = async (fixture: BrokerFixture, order: "none" | "key"): Promise<void> => {
  await using first = new TestApp(fixture);
  subscribeEffects(first, order);
  await first.start();
  await first.app.db.execute(
    "CREATE TABLE effects (place INTEGER PRIMARY KEY AUTOINCREMENT, message TEXT NOT NULL, key TEXT NOT NULL)",
  );
};

/** Number of rows, from the autoincrement column. */
const countOf = async ({ app }: TestApp): Promise<number> =>
  (await app.db.fetchValue<number>("SELECT max(place) FROM effects")) ?? 0;
