import { App, Blueprint } from "@framework/core";
import { cors } from "@framework/cors";
import { openapi } from "@framework/openapi";
import { expect, test } from "@jest/globals";
import { deprecation } from "./index.ts";

class Api extends App.with(cors, deprecation, openapi) {}

const makeApp = (): Api => {
  const app = new Api().enableCors(["https://app.example"]).enableDeprecation().enableOpenapi();
  const v1 = new (Blueprint.with(deprecation))("/v1", { deprecated: "2026-11-01", sunset: "2027-11-01" });
  v1.get("/books/{id}", { successor: "/v2/books/{id}" }, () => "book");
  app.registerBlueprint(v1);
  app.get("/v2/books/{id}", { sunset: "2030-01-01" }, () => "book");
  return app;
};

test("the API document marks deprecated operations and describes their fields", async () => {
  const reply = await makeApp().fetch(new Request("http://localhost/openapi.json"));
  const { paths } = JSON.parse(await reply.text());
  const { deprecated, responses } = paths["/v1/books/{id}"].get;
  expect(deprecated).toBe(true);
  expect(responses["2XX"].headers).toEqual({
    Deprecation: { description: "Deprecated from 2026-11-01T00:00:00.000Z.", schema: { type: "string" } },
    Sunset: { description: "May stop working on 2027-11-01T00:00:00.000Z.", schema: { type: "string" } },
    Link: { description: "Use /v2/books/{id} instead.", schema: { type: "string" } },
  });
  expect(paths["/v2/books/{id}"].get.deprecated).toBeUndefined();
  expect(Object.keys(paths["/v2/books/{id}"].get.responses["2XX"].headers)).toEqual(["Sunset"]);
});

test("pages of allowed origins can read the fields", async () => {
  const headers = { origin: "https://app.example" };
  const reply = await makeApp().fetch(new Request("http://localhost/v1/books/7", { headers }));
  const exposed = reply.headers.get("access-control-expose-headers")?.toLowerCase().split(/, */) ?? [];
  expect(exposed).toEqual(expect.arrayContaining(["deprecation", "sunset", "link"]));
});
