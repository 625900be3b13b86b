import { App } from "@framework/core";

/** A typical user program: it replies with its arguments and environment, and prints a line when it stops. */
const app = new App();
app.get("/", () => ({
  args: process.argv.slice(2),
  own: process.env["OWN"] ?? null,
  execArgv: process.execArgv,
  variables: Object.keys(process.env),
}));
app.onEvent("shutdown", () => console.log("stopped gracefully"));
await app.run({ argv: [] });
