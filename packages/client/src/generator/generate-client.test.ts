import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { documentOf, notesApp } from "../api/notes-app.test-kit.ts";
import { generateClient } from "./generate-client.ts";
import { strange } from "./strange-document.test-kit.ts";

const folder = mkdtempSync(join(tmpdir(), "framework-client-"));
afterAll(() => rmSync(folder, { recursive: true }));

const strict = {
  noEmit: true,
  strict: true,
  target: "es2025",
  lib: ["es2025", "esnext.disposable", "esnext.error"],
  types: ["node"],
  typeRoots: [join(import.meta.dirname, "../../../../node_modules/@types")],
  module: "nodenext",
  customConditions: ["@framework/source"],
  allowImportingTsExtensions: true,
  declaration: true,
  isolatedDeclarations: true,
  erasableSyntaxOnly: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
};

/** Compiles modules, and returns the output and status of the compiler. */
const compile = (
  files: Readonly<Record<string, string>>,
  ...flags: string[]
): { status: number | null; text: string } => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: strict, files: Object.keys(files) }),
  );
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
    "bin/tsc",
  );
  const { stdout, status } = spawnSync(process.execPath, [compiler, "-p", folder, ...flags], {
    encoding: "utf8",
  });
  return { status, text: stdout };
};

/** Generates a module that imports the sources of this package. */
const generate = (document: unknown): string =>
  generateClient(document, { runtime: join(import.meta.dirname, "../index.ts") });

const program = `
import { createClient, type Schemas } from "./notes.ts";
const client = createClient("https://api.example/v1", { credentials: { any: "x" } });
export const run = async (): Promise<Schemas["Note"] | string> => {
  const found = await client.getNote({ params: { id: "1" } });
  if (found.status === 200) return found.body;
  if (found.status === 404) return found.body.error;
  const refused: number = found.status;
  const stars: number | null = (await client.addNote({ body: { id: "", text: "", stars: null }, idempotencyKey: "1" })).status;
  await client.upload({ body: { title: "", file: new Blob([]) }, signal: AbortSignal.timeout(1) });
  return String(refused) + String(stars);
};
// @ts-expect-error the path has a parameter
void client.getNote();
// @ts-expect-error no such operation
void client.getNotes();
// @ts-expect-error the body lacks stars
void client.addNote({ body: { id: "", text: "" } });
// @ts-expect-error no such query
void client.search({ query: { q: "", other: 1 } });
`;

/** 200 operations with inputs. */
const many = {
  openapi: "3.1.0",
  info: { title: "Many", version: "1" },
  paths: Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [
      `/r${index}/{id}`,
      {
        post: {
          operationId: `op${index}`,
          requestBody: {
            required: true,
            content: {
              "application/json": { schema: { type: "object", properties: { a: { type: "string" } } } },
            },
          },
          responses: { 200: { content: { "application/json": { schema: { const: index } } } }, 404: {} },
        },
      },
    ]),
  ),
};

/** Returns a document with these named schemas, and an operation that returns the first. */
const withSchemas = (schemas: Readonly<Record<string, object>>): object => ({
  openapi: "3.1.0",
  info: { title: "Schemas", version: "1" },
  paths: {
    "/": {
      get: {
        operationId: "get",
        responses: {
          200: { content: { "application/json": { schema: reference(Object.keys(schemas)[0] ?? "") } } },
        },
      },
    },
  },
  components: { schemas },
});

const reference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

/** Generates a module of schemas that refer to themselves in lists, records and alternatives. */
const recursiveModule = (): string => {
  const listOf = (name: string): object => ({ type: "array", items: reference(name) });
  return generate(
    withSchemas({
      Json: {
        anyOf: [
          { type: "string" },
          listOf("Json"),
          { type: "object", additionalProperties: reference("Json") },
        ],
      },
      "Jso/n": { type: "array", prefixItems: [{ type: "string" }, reference("Jso~1n")] },
      Even: listOf("Odd"),
      Odd: { anyOf: [{ type: "null" }, reference("Even")] },
      Endless: { anyOf: [{ type: "string" }, reference("Alias")] },
      Alias: reference("Endless"),
      All: { allOf: [reference("All"), { type: "object", properties: { a: { type: "string" } } }] },
      Tree: { type: "object", properties: { children: listOf("Tree"), data: reference("Json") } },
    }),
  );
};

const recursiveProgram = `
import { createClient, type Schemas } from "./json.ts";
export const json: Schemas["Json"] = ["a", { b: ["c"] }];
export const odd: Schemas["Odd"] = [null, [null]];
export const tree: Schemas["Tree"] = { children: [{ data: { a: "b" } }] };
// @ts-expect-error the recursive schema allows no number, at any depth
export const no: Schemas["Json"] = ["a", { b: [1] }];
export const got: Promise<string> = createClient("http://h").get().then(({ body }) => (typeof body === "string" ? body : ""));
`;

test("with every strict option, the modules of an app, of a hostile document and of recursive schemas compile, as do programs that use them", async () => {
  const json = recursiveModule();
  const compiled = compile({
    "notes.ts": generate(await documentOf(notesApp())),
    "program.ts": program,
    "strange.ts": generate(strange),
    "json.ts": json,
    "uses.ts": recursiveProgram,
  });
  expect(compiled).toEqual({ text: "", status: 0 });
  expect(json).toContain('  Tree: { children?: Schemas["Tree"][]; data?: Json_ };');
});

test("an operation of a client and its call need at most 150 type instantiations", () => {
  const client = generate(many);
  const header = 'import { createClient } from "./many.ts";\nconst client = createClient("http://h");\n';
  const calls = Array.from(
    { length: 200 },
    (_, index) =>
      `client.op${index}({ params: { id: "1" }, body: {} }).then((reply) => reply.status === 200 && reply.body);`,
  );
  const count = (text: string): number => Number(/Instantiations:\s+(\d+)/.exec(text)?.[1]);
  const none = count(compile({ "many.ts": client, "calls.ts": header }, "--extendedDiagnostics").text);
  const all = count(
    compile({ "many.ts": client, "calls.ts": header + calls.join("\n") }, "--extendedDiagnostics").text,
  );
  expect((all - none) / 200).toBeGreaterThan(1);
  expect((all - none) / 200).toBeLessThan(150);
});

test("each operation and schema is one line, in the order of paths and names, regardless of the order in the document", async () => {
  const document = (await documentOf(notesApp())) as { paths: Record<string, unknown> };
  const text = generateClient(document);
  expect(text).toContain('  readonly getNote: Operation<{ params: { id: string } }, { 200: Schemas["Note"];');
  expect(text).toContain("  Note: { id: string; text: string; stars: number | null");
  const reversed = Object.fromEntries(Object.entries(document.paths).toReversed());
  expect(generateClient({ ...document, paths: reversed })).toBe(text);
});

test("a reply has the types of its media types' schemas, and unknown without one", () => {
  const replies = (responses: object): string | undefined => {
    const paths = { "/": { get: { operationId: "op", responses } } };
    const document = {
      openapi: "3.0.1",
      info: {},
      paths,
      components: { schemas: { Pet: { type: "object" } } },
    };
    return /Operation<object, (.*)>;/.exec(generateClient(document))?.[1];
  };
  const range = (schema: object): object => ({ 200: { content: { "*/*": { schema } } } });
  expect(replies(range({ $ref: "#/components/schemas/Pet" }))).toBe('{ 200: Schemas["Pet"] }');
  expect(replies(range({ type: "string", format: "binary" }))).toBe("{ 200: BytesReply }");
  expect(replies(range({}))).toBe("{ 200: unknown }");
  const named = { schema: { type: "string", enum: ["a", "b"] } };
  expect(replies({ 200: { content: { "application/json": named, "text/plain": named } } })).toBe(
    '{ 200: "a" | "b" }',
  );
  const pet = { $ref: "#/components/schemas/Pet" };
  const either = { schema: { anyOf: [{ type: "null" }, pet] } };
  expect(
    replies({
      400: { content: { "application/json": either, "application/problem+json": { schema: pet } } },
    }),
  ).toBe('{ 400: null | Schemas["Pet"] }');
  expect(
    replies({ 200: { content: { "text/plain": {}, "text/xml": { schema: { type: "object" } } } } }),
  ).toBe("{ 200: string }");
  expect(replies({ 204: {}, "2XX": {}, default: {} })).toBe(
    '{ 204: undefined; "2XX": unknown; default: unknown }',
  );
});

test.each([null, [], {}, { openapi: "2.0" }, { swagger: "2.0" }, { openapi: "3.2.0" }, "3.1.0"])(
  "refuses %j",
  (document) => {
    expect(() => generateClient(document)).toThrow("not an OpenAPI 3.0 or 3.1 document");
  },
);
