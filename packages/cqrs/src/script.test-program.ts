// Only the time limits of its calls keep this process running.
import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { z } from "zod";
import { command, cqrs, query } from "./index.ts";

const app = new (App.with(database, durable, cqrs))()
  .enableDatabase({ url: "sqlite://:memory:" })
  .enableDurable({ runWork: false })
  .enableCqrs({ commandTimeoutMs: 200, queryTimeoutMs: 200 });
const input = z.object({});
const never = (): Promise<never> => new Promise(() => {});
const close = command("close", { input });
const stock = query("stock", { input, output: input });
app.cqrs.handle(close, never);
app.cqrs.handle(stock, never);
await app.start({ log: { info() {}, warn() {}, error() {} } });
const codeOf = (error: { readonly code: string }): string => error.code;
console.log(await app.cqrs.execute(close, {}).catch(codeOf));
console.log(await app.cqrs.query(stock, {}).catch(codeOf));
