import { App } from "@framework/core";
import { csrf } from "./index.ts";

/** A service whose workers create tokens without a configured secret. */
const app = new (App.with(csrf))().enableCsrf();
app.get("/", () => process.pid);
app.post("/", () => process.pid);
await app.run();
