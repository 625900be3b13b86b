import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import SwaggerParser from "@apidevtools/swagger-parser";
import { App, Blueprint } from "@framework/core";
import { expect, test } from "@jest/globals";
import { Validator } from "@seriousme/openapi-schema-validator";
import { z } from "zod";
import { openapi } from "../openapi.ts";
import { booksApp } from "../testing/books-app.test-fixture.ts";

const config = {
  license: { name: "MIT", identifier: "MIT" },
  tags: [{ name: "books", description: "All books." }],
};

const bare = () => {
  const app = new (App.with(openapi))().enableOpenapi(config);
  app.get("/", () => "hello");
  app.route(
    "/all/{id}",
    { methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"] },
    () => 1,
  );
  app.get("/files/{*path}", () => 1);
  return app;
};

/** Creates an app with every part that schemas, tags and authentication can add to a document. */
const rich = () => {
  const Node = z.object({
    name: z
      .string()
      .min(1)
      .max(9)
      .regex(/^[a-z]+$/),
    get children() {
      return z.array(Node);
    },
  });
  const Shape = z
    .discriminatedUnion("kind", [
      z.object({ kind: z.literal("circle"), radius: z.number().positive() }),
      z.object({ kind: z.literal("square"), side: z.number().optional() }),
    ])
    .meta({ id: "Shape", description: "One of two." });
  const app = new (App.with(openapi))()
    .enableOpenapi({
      ...config,
      title: "Rich",
      description: "**All**",
      servers: [{ url: "https://api.test", description: "live" }],
    })
    .use({
      handle: (request, next) => next(request),
      describeAuth: () => ({
        schemes: {
          bearerAuth: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
          apiKeyAuth: { type: "apiKey", in: "header", name: "X-API-Key" },
        },
        skips: (path) => path === "/login" || path === "/openapi.json",
      }),
    })
    .addGuard(() => true);
  const group = new Blueprint("/v1/{org}", { tags: ["books"] });
  group.post("/trees", { body: Node, responses: { 201: Node } }, () => 1);
  group.put(
    "/shapes/{id}",
    {
      params: z.object({ org: z.string(), id: z.coerce.number() }),
      body: Shape,
      responses: { 200: z.record(z.string(), Shape) },
    },
    () => 1,
  );
  group.get(
    "/shapes",
    {
      query: z.object({
        kind: z.enum(["circle", "square"]).optional(),
        pair: z.array(z.string()).optional(),
      }),
      responses: { 200: z.array(z.tuple([z.string(), Shape.nullable()])) },
    },
    () => 1,
  );
  app.registerBlueprint(group);
  app.post("/login", { responses: { 200: z.string(), 400: z.object({ error: z.string() }) } }, () => 1);
  return app;
};

const documents = async (): Promise<readonly (readonly [name: string, text: string])[]> =>
  Promise.all(
    Object.entries({ bare: bare(), rich: rich(), books: booksApp(config) }).map(async ([name, app]) => {
      const text = await (await app.fetch(new Request("http://test.local/openapi.json"))).text();
      await app.stop();
      return [name, text] as const;
    }),
  );

test("swagger-parser and the schema of OpenAPI 3.1 accept the documents", async () => {
  for (const [name, text] of await documents()) {
    await SwaggerParser.validate(JSON.parse(text));
    const { valid, errors } = await new Validator().validate(JSON.parse(text));
    expect([name, valid, errors]).toEqual([name, true, undefined]);
  }
});

test("the documents pass Redocly's recommended rules", async () => {
  const folder = mkdtempSync(join(tmpdir(), "openapi-lint-"));
  try {
    for (const [name, text] of await documents()) {
      writeFileSync(join(folder, `${name}.json`), text);
      expect([name, ...redoclyProblems(folder, `${name}.json`)]).toEqual([name]);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const redoclyProblems = (folder: string, file: string): string[] => {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("@redocly/cli/package.json");
  const args = ["lint", file, "--extends", "recommended", "--format", "json"];
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const options = { cwd: folder, encoding: "utf8", env } as const;
  const { stdout } = spawnSync(process.execPath, [join(dirname(manifest), "bin/cli.js"), ...args], options);
  const { totals, problems } = JSON.parse(stdout) as { totals: object; problems: { message: string }[] };
  expect(totals).toHaveProperty("errors"); // the linter ran
  return problems.map(({ message }) => message);
};
