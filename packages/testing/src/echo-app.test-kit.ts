import { App, Response } from "@framework/core";

/** Creates an app that replies with the request. */
export const echo = (): App => {
  const app = new App();
  app.route("/echo", { methods: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] }, async (request) => ({
    method: request.method,
    query: request.query.toObject(),
    type: request.getHeader("content-type"),
    length: request.getHeader("content-length"),
    header: request.getHeader("x-one"),
    host: request.host,
    body: await request.text(),
  }));
  app.get("/plain", () => new Response("plain", { headers: { "x-one": "1" } }));
  app.get("/empty", () => null);
  app.get("/bytes", () => new Uint8Array([0, 255, 128]));
  app.get("/moved", () => Response.redirect("/plain"));
  app.get("/boom", () => {
    throw new Error("boom");
  });
  return app;
};
