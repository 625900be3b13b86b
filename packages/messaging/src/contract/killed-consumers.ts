import type { BrokerFixture } from "./broker-fixture.ts";
import { Ledger, type LedgerOptions } from "./ledger.ts";
import { fast } from "./poison.ts";
import { TestApp } from "./test-app.ts";
import { quietly, until } from "./until.ts";

/** What consumers that were killed left in the database: ids of messages. */
export interface EffectsOfKilled {
  /** Those that had their effect, key by key, each in the order of the commits. */
  readonly effects: readonly string[];
  /** Those that were sent, key by key. */
  readonly expected: readonly string[];
}

/** What happens to consumers while messages are sent. */
export interface KillPlan extends LedgerOptions {
  /** Messages that are sent. */
  readonly messages: number;
  /** Kills consumers until `isEnough`. */
  readonly kill: (isEnough: () => Promise<boolean>) => Promise<void>;
}

/** Subscribes a process whose handler has its effect, a row, in the transaction of the inbox. @param begun called at the first message */
export const subscribeEffects = (
  { messaging, topic, group }: TestApp,
  order: "none" | "key",
  begun: () => void = () => {},
): void => {
  let hasBegun = false;
  const options = { group, order, dedupe: "inbox", retry: { ...fast, quickTries: 100 } } as const;
  messaging.subscribe(topic, options, async ({ id, key }, { tx }) => {
    await tx.execute("INSERT INTO effects (message, key) VALUES ($1, $2)", [id, key ?? ""]);
    if (!hasBegun) begun();
    hasBegun = true;
  });
};

/**
 * Sends messages while consumers on one database are killed, lets one more process handle what is left, and returns what had its effect.
 *
 * @param fixture with the address of a SQLite file
 */
export const effectsDespiteKills = async (
  fixture: BrokerFixture,
  order: "none" | "key",
  { messages, kill, ...options }: KillPlan,
): Promise<EffectsOfKilled> => {
  const ledger = new Ledger(messages, options);
  await prepare(fixture, order);
  await using sender = await new TestApp({ ...fixture, databaseUrl: "sqlite://:memory:" }).start();
  const sending = ledger.send(sender, sender.topic);
  {
    await using watcher = new TestApp(fixture);
    await watcher.start();
    const share = ledger.total > 10_000 ? 2 : 10; // a short test has most of its effects after the kills
    await kill(async () => (await countOf(watcher)) >= ledger.total / share);
  }
  await using last = new TestApp(fixture);
  subscribeEffects(last, order);
  await last.start();
  await sending;
  await until("all effects", async () => (await countOf(last)) >= ledger.total, 120_000 + ledger.total * 20);
  await quietly(); // for effects that nobody should have
  const rows = await last.app.db.query<{ message: string; key: string }>(
    "SELECT message, key FROM effects ORDER BY place",
  );
  const ofKeys = Map.groupBy(rows, ({ key }) => key);
  const effects = ledger.keys.flatMap((key) => ofKeys.get(key) ?? []);
  return { effects: effects.map(({ message }) => message), expected: ledger.ids };
};

/** Makes the table, and the group: a broker may drop messages that no group waits for. */
const prepare = async (fixture: BrokerFixture, order: "none" | "key"): Promise<void> => {
  await using first = new TestApp(fixture);
  subscribeEffects(first, order);
  await first.start();
  await first.app.db.execute(
    "CREATE TABLE effects (place INTEGER PRIMARY KEY AUTOINCREMENT, message TEXT NOT NULL, key TEXT NOT NULL)",
  );
};

/** Rows, as the table counts them. */
const countOf = async ({ app }: TestApp): Promise<number> =>
  (await app.db.fetchValue<number>("SELECT max(place) FROM effects")) ?? 0;
