import { App, type HttpMiddlewareObject } from "@framework/core";
import type { AddsRouteOptions, Feature } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { openapi } from "../openapi.ts";
import type { OpenapiDocument, SecurityScheme } from "./openapi-document.ts";

/** Members of a feature that implies replies. */
interface Quota extends AddsRouteOptions<{ readonly quota?: false }> {
  enableQuota(): this;
}
const quota: Feature<Quota> = {
  name: "quota",
  install: (host) => {
    const option = host.http.routeOption("quota", () => null);
    return {
      enableQuota() {
        const headers = { "Retry-After": { description: "Seconds.", type: "integer" } } as const;
        const refused = { status: 429, description: "The quota is used up.", headers };
        const forbidden = { status: 403, description: "The account is closed." };
        host.http.impliesReplies((route) => (option.of(route) === false ? [] : [refused, forbidden]));
        return this;
      },
    };
  },
};

const newApp = () => new (App.with(openapi, quota))().enableOpenapi();

const documentOf = async (app: App): Promise<OpenapiDocument> => {
  const reply = await app.fetch(new Request("http://test.local/openapi.json"));
  await app.stop();
  return (await reply.json()) as OpenapiDocument;
};

const statusesOf = async (app: App, key: string): Promise<string[]> => {
  const [method = "", path = ""] = key.split(" ");
  return Object.keys((await documentOf(app)).paths[path]?.[method]?.responses ?? {});
};

test("the only implied error of a route without input is 400", async () => {
  const app = newApp();
  app.get("/", () => 1);
  expect(await statusesOf(app, "get /")).toEqual(["400", "2XX"]);
});

test.each([
  ["a path parameter", "get /{id}", {}, ["400", "404", "2XX"]],
  ["a body", "post /", {}, ["400", "413", "415", "2XX"]],
  ["a body's schema", "post /", { body: z.string() }, ["400", "413", "415", "422", "2XX"]],
  ["a query's schema", "get /", { query: z.object({}) }, ["400", "422", "2XX"]],
  ["a guard", "get /", { guards: [() => true] }, ["400", "401", "403", "2XX"]],
  ["a time limit", "get /", { timeoutSecs: 1 }, ["400", "504", "2XX"]],
  ["a time limit of a body", "post /", { timeoutSecs: 1 }, ["400", "408", "413", "415", "504", "2XX"]],
])("%s implies its errors", async (_name, key, options, statuses) => {
  const app = newApp();
  const [method = "", path = ""] = key.split(" ");
  app.route(path, { ...options, methods: [method.toUpperCase() as "GET"] }, () => 1);
  expect(await statusesOf(app, key)).toEqual(statuses);
});

test("an enabled feature implies its replies for each route to which it applies", async () => {
  const make = () => {
    const app = newApp();
    app.get("/", () => 1);
    app.get("/guarded", { guards: [() => true] }, () => 1);
    app.get("/free", { quota: false }, () => 1);
    return app;
  };
  const { paths, components } = await documentOf(make().enableQuota());
  const statuses = (path: string) => Object.keys(paths[path]?.["get"]?.responses ?? {});
  expect(statuses("/")).toEqual(["400", "403", "429", "2XX"]);
  expect(statuses("/free")).toEqual(["400", "2XX"]);
  expect(components.responses["TooManyRequests"]).toMatchObject({
    description: "The quota is used up.",
    headers: { "Retry-After": { description: "Seconds.", schema: { type: "integer" } } },
  });
  expect(components.responses["Forbidden"]?.description).toBe(
    "The account is closed. The caller may not do this.",
  );
  expect(await statusesOf(make(), "get /")).toEqual(["400", "2XX"]);
});

test("header fields that an enabled feature uses are parameters, and fields of successful replies", async () => {
  const trace: Feature<{ enableTrace(): App }> = {
    name: "trace",
    install: (host) => ({
      enableTrace() {
        const requestField = {
          name: "X-Trace",
          description: "Id of the caller's work.",
          type: "string",
        } as const;
        const replyField = {
          name: "X-Steps",
          in: "reply",
          description: "Number of steps.",
          type: "integer",
        } as const;
        host.http.usesFields(({ path }) =>
          path === "/free"
            ? []
            : [{ ...requestField, in: "request", required: path === "/strict" }, replyField],
        );
        return this as unknown as App;
      },
    }),
  };
  const app = new (App.with(openapi, trace))().enableOpenapi();
  app.enableTrace();
  app.get("/", { responses: { 200: z.string(), 409: z.string() } }, () => "x");
  app.get("/strict", () => 1);
  app.get("/free", () => 1);
  const { paths } = await documentOf(app);
  const parameter = {
    name: "X-Trace",
    in: "header",
    description: "Id of the caller's work.",
    schema: { type: "string" },
  };
  const headers = { "X-Steps": { description: "Number of steps.", schema: { type: "integer" } } };
  expect(paths["/"]?.["get"]?.parameters).toEqual([parameter]);
  expect(paths["/strict"]?.["get"]?.parameters).toEqual([{ ...parameter, required: true }]);
  expect(paths["/free"]?.["get"]).not.toHaveProperty("parameters");
  expect(paths["/"]?.["get"]?.responses["200"]).toMatchObject({ headers });
  expect(paths["/"]?.["get"]?.responses["409"]).not.toHaveProperty("headers");
  expect(paths["/strict"]?.["get"]?.responses["2XX"]).toMatchObject({ headers });
  expect(paths["/free"]?.["get"]?.responses["2XX"]).not.toHaveProperty("headers");
});

test("declared errors and implied errors have the framework's error body", async () => {
  const app = newApp().enableQuota();
  app.post("/orders", { errors: [401, 409, 429], responses: { 201: z.string() } }, () => "x");
  const { paths, components } = await documentOf(app);
  const { responses = {} } = paths["/orders"]?.["post"] ?? {};
  expect(Object.keys(responses)).toEqual(["201", "400", "401", "403", "409", "413", "415", "429"]);
  expect(responses["409"]).toEqual({ $ref: "#/components/responses/Conflict" });
  expect(components.responses["Conflict"]).toEqual({
    description: "Conflict.",
    content: {
      "application/json": { schema: { $ref: "#/components/schemas/Error" } },
      "application/problem+json": { schema: { $ref: "#/components/schemas/Error" } },
    },
  });
  expect(components.responses["Unauthorized"]?.headers).toHaveProperty("WWW-Authenticate");
  expect(components.responses["TooManyRequests"]?.headers).toHaveProperty("Retry-After");
});

test("guards of the app apply to every operation", async () => {
  const app = newApp().addGuard(() => true);
  app.get("/", () => 1);
  const response = await app.fetch(new Request("http://test.local/openapi.json"));
  const { paths } = (await response.json()) as OpenapiDocument;
  await app.stop();
  expect(Object.keys(paths["/"]?.["get"]?.responses ?? {})).toEqual(["400", "401", "403", "2XX"]);
});

test("a declared reply is combined with the framework's error of its status, unless only the handler sends the status", async () => {
  const Missing = z.looseObject({ error: z.string() });
  const app = newApp();
  app.get("/{id}", { responses: { 200: z.string(), 400: Missing, 404: Missing } }, () => "x");
  const { paths } = await documentOf(app);
  const schemaOf = (status: string) => paths["/{id}"]?.["get"]?.responses[status];
  expect(schemaOf("400")).toMatchObject({
    content: {
      "application/json": { schema: { anyOf: [{ type: "object" }, { $ref: "#/components/schemas/Error" }] } },
    },
  });
  expect(schemaOf("404")).toMatchObject({ content: { "application/json": { schema: { type: "object" } } } });
});

test("only replies of an operation become components", async () => {
  const app = newApp();
  app.get("/", () => 1);
  const { components } = await documentOf(app);
  expect(Object.keys(components.responses)).toEqual(["BadRequest"]);
  expect(components.responses["BadRequest"]).toEqual({
    description: "The request is malformed.",
    content: {
      "application/json": { schema: { $ref: "#/components/schemas/Error" } },
      "application/problem+json": { schema: { $ref: "#/components/schemas/Error" } },
    },
  });
});

/** Creates an authentication with the members that the document reads. */
const auth = (
  schemes: Record<string, SecurityScheme>,
  open: readonly string[] = [],
): HttpMiddlewareObject => ({
  handle: (request, next) => next(request),
  describeAuth: () => ({ schemes, skips: (path) => open.includes(path) }),
});

const bearer = { type: "http", scheme: "bearer" } as const;
const basic = { type: "http", scheme: "basic" } as const;
const apiKey = { type: "apiKey", in: "header", name: "X-API-Key" } as const;

test("an operation requires the authentication registered before it, unless its path is skipped", async () => {
  const app = newApp().use(auth({ bearerAuth: bearer }, ["/login"]));
  app.get("/", () => 1);
  app.post("/login", () => 1);
  const { paths, components, security } = await documentOf(
    app.use(auth({ docs: basic }, ["/", "/login", "/openapi.json"])),
  );
  expect(security).toEqual([]);
  expect(components.securitySchemes).toEqual({ bearerAuth: bearer });
  expect(paths["/"]?.["get"]?.security).toEqual([{ bearerAuth: [] }]);
  expect(paths["/"]?.["get"]?.responses).toHaveProperty("401");
  expect(paths["/login"]?.["post"]).not.toHaveProperty("security");
  expect(paths["/login"]?.["post"]?.responses).not.toHaveProperty("401");
});

test("several authentications are all required, each with any of its schemes; a different scheme of the same name is numbered", async () => {
  const app = newApp()
    .use(auth({ bearerAuth: bearer }))
    .use(auth({ basicAuth: basic, apiKeyAuth: apiKey }))
    .use(auth({ bearerAuth: { ...bearer, bearerFormat: "JWT" } }));
  app.get("/", () => 1);
  const { paths, components } = await documentOf(app);
  expect(Object.keys(components.securitySchemes ?? {})).toEqual([
    "apiKeyAuth",
    "basicAuth",
    "bearerAuth",
    "bearerAuth2",
  ]);
  expect(paths["/"]?.["get"]?.security).toEqual([
    { basicAuth: [], bearerAuth: [], bearerAuth2: [] },
    { apiKeyAuth: [], bearerAuth: [], bearerAuth2: [] },
  ]);
});
