import { App } from "@framework/core";
import { devtools } from "./devtools.ts";

const app = new (App.with(devtools))().enableDevtools();
app.get("/pid", () => process.pid);
await app.run();
