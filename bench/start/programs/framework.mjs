// A server with the framework, as installed; it prints a line when it listens.
import { App } from "@framework/core";

const app = new App();
app.get("/", () => "hello");
await app.run({ port: 0 });
