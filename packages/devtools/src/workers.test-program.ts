import { App } from "@framework/core";
import { devtools } from "./devtools.ts";

const app = new (App.with(devtools))().enableDevtools();
app.use(async (request, next) => (await next(request)).setHeader("x-pid", String(process.pid)));
app.get("/pid", () => process.pid);
await app.run();
