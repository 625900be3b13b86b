import { App } from "@framework/core";

/** Composes the service without starting it, so tests and tools can also use it. */
export const createApp = (): App => {
  const app = new App();
  app.get("/", () => ({ message: "Hello from my-service" }));
  app.get("/hello/{name}", (request) => ({ message: `Hello, ${request.params.name}` }));
  return app;
};
