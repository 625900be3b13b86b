// A process that makes payments until it is killed. Two processes share keys, so both often attempt the same payment.
import { appendFileSync } from "node:fs";
import { untilGo } from "@framework/warm-processes";
import { pay, paymentsApp, ways } from "./payments.test-kit.ts";

const { DATABASE = "", LOG = "", AT = "0" } = process.env;
const quiet = { info() {}, warn() {}, error() {} };
const app = paymentsApp(DATABASE);
await app.start({ log: quiet });

const note = (line: string): void => appendFileSync(LOG, `${line}\n`);
const payOnce = async (key: string): Promise<void> => {
  note(`try ${key}`);
  try {
    note(`done ${key} ${await pay(app, key)}`);
  } catch {
    // not acknowledged, for example because the other process is using the key
  }
};
const caller = async (): Promise<void> => {
  for (;;) {
    const way = ways[Math.floor(Math.random() * ways.length)];
    await payOnce(`${way}-${Math.floor(Number(AT) / 2)}-${Math.floor(Math.random() * 40)}`);
  }
};

for (const way of ways) await payOnce(`${way}-first-${AT}`); // loads the code and connects
await untilGo();
await Promise.all([1, 2, 3, 4].map(caller));
