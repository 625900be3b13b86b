// A server with the framework on its own transport.
import { App } from "@framework/core";

const app = new App();
app.get("/", () => "hello");
await app.run({ port: 0, transport: "fast" });
