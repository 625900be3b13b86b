// An app with a query whose runs the test finishes.
import type { ConfigInput } from "@framework/core/feature";
import { databaseInFile } from "@framework/database/testing";
import { z } from "zod";
import { counterApp, type CounterApp, newLog } from "../counters.test-kit.ts";
import { type Command, command, type CqrsConfig, type Query, query, type QueryContext } from "../index.ts";

const input: z.ZodObject<{ name: z.ZodString }> = z.object({ name: z.string() });
const text: z.ZodString = z.string();

export const Touch: Command<typeof input> = command("Touch", { input });
export const Read: Query<typeof input, typeof text> = query("Read", { input, output: text });

/** A call of the handler of `Read`. */
export interface GatedCall {
  readonly context: QueryContext;
  readonly finish: (text: string) => void;
}

export interface GatedApp extends AsyncDisposable {
  readonly app: CounterApp;
  readonly calls: readonly GatedCall[];
}

/** An app whose handler of `Read` waits until the test finishes each call. */
export const gatedApp = async (config: ConfigInput<CqrsConfig> = {}): Promise<GatedApp> => {
  const storage = databaseInFile();
  const app = counterApp(storage, config);
  const calls: GatedCall[] = [];
  app.cqrs.handle(Read, (_input, context) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    context.signal.addEventListener("abort", () => reject(context.signal.reason));
    calls.push({ context, finish: resolve });
    return promise;
  });
  app.cqrs.handle(Touch, () => {});
  await app.start({ log: newLog() });
  const dispose = async (): Promise<void> => {
    await app.stop();
    await storage[Symbol.asyncDispose]();
  };
  return { app, calls, [Symbol.asyncDispose]: dispose };
};
