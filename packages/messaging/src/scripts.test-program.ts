// Apps without `run` on brokers without sockets: only messaging keeps the process running.
import { App } from "@framework/core";
import type { BrokerAdapter } from "./adapter.ts";
import { memoryBroker, messaging } from "./index.ts";

const log = { info() {}, warn() {}, error() {} };

const appOn = (broker: BrokerAdapter) =>
  new (App.with(messaging))().enableMessaging({ broker, sendTimeoutMs: 100 });

type AppOnBroker = ReturnType<typeof appOn>;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Subscribes, and stops the app after the first message. */
const stopAfterOne = (app: AppOnBroker): void => {
  app.messaging.subscribe("books", { group: "search" }, ({ id }) => {
    print(`handled ${id}`);
    void app.stop();
  });
};

/** Creates an in-memory broker whose first topology call fails. */
const unavailableAtFirst = (): BrokerAdapter => {
  const inner = memoryBroker();
  let calls = 0;
  const open: BrokerAdapter["open"] = (context) => {
    const broker = inner.open(context);
    return {
      ...broker,
      topology: async (...args) => {
        if (++calls === 1) throw new Error("unavailable");
        return await broker.topology(...args);
      },
    };
  };
  return { ...inner, open };
};

/** Creates a broker that confirms nothing. */
const silent = (): BrokerAdapter => {
  const inner = memoryBroker();
  const send = async (messages: readonly unknown[], { signal }: { readonly signal: AbortSignal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return messages.map(() => ({ ok: false, error: new Error("unavailable"), isRetryable: true }) as const);
  };
  return { ...inner, open: (context) => ({ ...inner.open(context), producer: { send } }) };
};

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "nothing",
    (error: { readonly code: string }) => error.code,
  );

const parts: Readonly<Record<string, () => Promise<void>>> = {
  async delayed() {
    const app = appOn(memoryBroker());
    stopAfterOne(app);
    await app.start({ log });
    await app.messaging.send("books", { type: "t", id: "1" }, { delayMs: 100 });
  },
  async tries() {
    const app = appOn(memoryBroker());
    app.messaging.subscribe(
      "books",
      { group: "search", retry: { quickTries: 1, delaysMs: [100] } },
      (message) => {
        print(`try ${message.attempt}`);
        if (message.attempt === 1) throw new Error("the index is unavailable");
        void app.stop();
      },
    );
    await app.start({ log });
    await app.messaging.send("books", { type: "t", id: "1" });
  },
  async connecting() {
    const app = appOn(unavailableAtFirst());
    stopAfterOne(app);
    await app.start({ log });
    await app.messaging.send("books", { type: "t", id: "1" });
  },
  async signal() {
    const app = appOn(memoryBroker());
    app.messaging.subscribe("books", { group: "search" }, () => {});
    app.onEvent("shutdown", () => print("stopped"));
    await app.start({ log });
    process.once("SIGTERM", () => void app.stop());
    process.kill(process.pid, "SIGTERM");
  },
  async request() {
    const app = appOn(memoryBroker());
    await app.start({ log });
    const code = await codeOf(app.messaging.request("prices", { type: "t" }, { timeoutMs: 100 }));
    print(`failed with ${code}`); // then the process ends by itself: it has no subscription
  },
  async send() {
    const app = appOn(silent());
    await app.start({ log });
    print(`failed with ${await codeOf(app.messaging.send("books", { type: "t" }))}`);
    print(`failed with ${await codeOf(app.messaging.sendAll("books", [{ type: "t" }]))}`);
  },
};

await parts[process.argv[2] ?? ""]?.();
