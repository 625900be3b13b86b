import { App } from "@framework/core";

/** Composes the service without starting it, so that tests and tools can use it too. */
export const createApp = (): App => {
  const app = new App();
  app.get("/", () => ({ message: "Hello from my-service" }));
  app.get("/hello/{name}", (request) => ({ message: `Hello, ${request.params.name}` }));
  return app;
};
