import { App } from "@framework/core";

const app = new App();
app.get("/pid", () => process.pid);
await app.run();
