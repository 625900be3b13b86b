import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Response } from "@framework/core";
import { socketClient } from "@framework/testing";
import { afterAll, beforeEach, expect, test } from "@jest/globals";
import { library, SCHEMA } from "../library.test-kit.ts";
import { runClientCommand } from "./client-command.ts";

const folder = mkdtempSync(join(tmpdir(), "graphql-client-"));
const source = join(folder, "schema.graphql");
const target = join(folder, "operations.ts");
const files = join(folder, "*.gql");

const OPERATIONS = `
  query Books($first: Int = 2, $withAuthor: Boolean!) {
    books(first: $first) { ...Title author @include(if: $withAuthor) { name } }
    node { __typename id ... on Book { rating } }
    all: tags
  }
  fragment Title on Book { id title }
  mutation Add($title: String!) { add(title: $title) { ...Title } }
  query Leaf($tree: Tree) { leaf(tree: $tree) }
  query Now { now }
  query Partly($full: Boolean!) {
    book(id: 1) { author { name } ...Full @include(if: $full) }
    node { ... on Book @skip(if: $full) { similar { title } } }
  }
  fragment Full on Book { author { id books { id } } ...Lists }
  fragment Lists on Book { author { books { title } } similar { rating } }
`;

beforeEach(() => {
  rmSync(target, { force: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(source, SCHEMA);
  writeFileSync(join(folder, "all.gql"), OPERATIONS);
});

afterAll(() => rmSync(folder, { recursive: true }));

const run = async (...args: string[]) => {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  const code = await runClientCommand(args, { out: write, err: write });
  return { code, text: lines.join("\n") };
};

/** Returns the compiler errors of a program that imports the module. */
const compilerErrorsOf = (program: string): string => {
  writeFileSync(join(folder, "program.ts"), program);
  const compilerOptions = {
    noEmit: true,
    strict: true,
    target: "es2025",
    lib: ["es2025", "dom"],
    types: [],
    module: "nodenext",
    allowImportingTsExtensions: true,
    isolatedDeclarations: true,
    declaration: true,
    erasableSyntaxOnly: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["program.ts", "operations.ts"] }),
  );
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
    "bin/tsc",
  );
  return spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" }).stdout;
};

test("the module has types that the compiler enforces", async () => {
  expect(await run(source, target, files)).toEqual({ code: 0, text: `${target} written` });
  const program = `
    import { Add, Books, createClient, Leaf, Now, Partly } from "./operations.ts";
    const execute = createClient("http://localhost/graphql");
    const { data } = await execute(Books, { withAuthor: true });
    const titles: readonly (string | null)[] = data?.books.map(({ title }) => title) ?? [];
    const author: string | null | undefined = data?.books[0]?.author?.name;
    const kind: "Book" | undefined = data?.node?.__typename;
    const rating: number | null | undefined = data?.node?.rating;
    const tags: readonly string[] | undefined = data?.all;
    await execute(Now);
    const { book, node } = (await execute(Partly, { full: true })).data ?? {};
    const name: string | null | undefined = book?.author?.name;
    // @ts-expect-error a field that another directive may exclude is optional
    const id: string | undefined = book?.author?.id.toUpperCase();
    const title: string | null | undefined = book?.author?.books?.[0]?.title;
    const bookId: string | undefined = book?.author?.books?.[0]?.id.toUpperCase();
    const rating2: number | null | undefined = book?.similar?.[0]?.rating;
    const similar: string | null | undefined = node?.similar?.[0]?.title;
    await execute(Leaf, { tree: { nested: { name: "x" } } });
    // @ts-expect-error a variable without a default is required
    await execute(Books, { first: 1 });
    // @ts-expect-error the value has another type
    await execute(Add, { title: 7 });
    // @ts-expect-error an input has no other members
    await execute(Leaf, { tree: { nme: "x" } });
    // @ts-expect-error a field that is not selected does not exist
    data?.books[0]?.similar;
    export const all: unknown[] = [titles, author, kind, rating, tags, name, id, title, bookId, rating2, similar];
  `;
  expect(compilerErrorsOf(program)).toBe("");
});

test("input objects may have names that the module itself or TypeScript uses, and an interface may have no type", async () => {
  writeFileSync(
    source,
    `type Query { run(operation: Operation!, result: Result, other: ResultInput, more: object): Int node: Node! text: toString }
     input Operation { op: String! record: Record }
     input Record { path: String! }
     input Result { a: Int }
     input ResultInput { b: Int }
     input object { class: class text: toString of: keyof lists: [readonly!] }
     input keyof { d: Int }
     input readonly { e: Int }
     input class { c: Int }
     scalar toString
     interface Node { id: ID! }`,
  );
  const text =
    "query Run($a: Operation!, $b: Result, $c: ResultInput, $d: object) { run(operation: $a, result: $b, other: $c, more: $d) node { id } text }";
  writeFileSync(join(folder, "all.gql"), text);
  expect(await run(source, target, files)).toMatchObject({ code: 0 });
  const program = `
    import { createClient, type OperationInput, Run } from "./operations.ts";
    const a: OperationInput = { op: "add", record: { path: "/" } };
    const { data } = await createClient("http://localhost/graphql")(Run, { a, b: { a: 1 }, c: { b: 2 }, d: { class: { c: 3 }, text: 4, of: { d: 5 }, lists: [{ e: 6 }] } });
    // @ts-expect-error a custom scalar is unknown
    const text: string | null | undefined = data?.text;
    // @ts-expect-error the member is required
    const wrong: OperationInput = {};
    export const all: unknown[] = [data?.run, text, wrong];
  `;
  expect(compilerErrorsOf(program)).toBe("");
});

test("the client sends the text of an operation, or its document id with `trusted`", async () => {
  await run(source, target, files);
  const module = (await import(pathToFileURL(target).href)) as {
    readonly Books: object;
    readonly documents: Readonly<Record<string, string>>;
    readonly createClient: (
      url: string,
      options: object,
    ) => (operation: object, variables: object) => Promise<unknown>;
  };
  const { Books, documents, createClient } = module;
  const { app } = library({ documents, onlyDocuments: true });
  const options = { fetch: (url: string, init: RequestInit) => app.fetch(new Request(url, init)) };
  const [byText, byId] = [false, true].map((trusted) =>
    createClient("http://localhost/graphql", { ...options, trusted }),
  );
  const variables = { first: 1, withAuthor: false };
  expect(await byId?.(Books, variables)).toEqual({
    data: {
      books: [{ id: "1", title: "Book 1" }],
      node: { __typename: "Book", id: "1", rating: 5 },
      all: ["0"],
    },
  });
  expect(await byText?.(Books, variables)).toMatchObject({ errors: [{ extensions: { status: 403 } }] });
});

test("a module from a running service equals the module from its SDL", async () => {
  await run(source, target, files);
  const text = readFileSync(target, "utf8");
  await using client = socketClient(library().app);
  expect(await run(await client.url("/graphql"), target, files, "--check")).toMatchObject({ code: 0 });
  expect(readFileSync(target, "utf8")).toBe(text);
});

test("operations may use the arguments and input fields that a running service deprecates", async () => {
  writeFileSync(join(folder, "all.gql"), "query Old($old: Old) { old(old: $old) }");
  const schema = `
    input Old { a: Int @deprecated b: Int }
    type Query { old(old: Old @deprecated, other: Int): Int @deprecated }
  `;
  await using client = socketClient(library({ schema, resolvers: {} }).app);
  expect(await run(await client.url("/graphql"), target, files)).toMatchObject({ code: 0 });
  expect(readFileSync(target, "utf8")).toContain("readonly a?: number | null");
});

test("a service that refuses newer introspection fields is introspected without them", async () => {
  const { app } = library();
  const queries: string[] = [];
  app.use(async (request, next) => {
    const { query } = (await request.json()) as { query: string };
    queries.push(query);
    return query.includes("isOneOf")
      ? Response.json({ errors: [{ message: "isOneOf" }] }, { status: 400 })
      : next(request);
  });
  await using client = socketClient(app);
  expect(await run(await client.url("/graphql"), target, files)).toMatchObject({ code: 0 });
  expect(queries).toHaveLength(2);
});

test("the scheme of an endpoint may be in upper case", async () => {
  await using client = socketClient(library().app);
  const url = (await client.url("/graphql")).replace("http:", "HTTP:");
  expect(await run(url, target, files)).toMatchObject({ code: 0 });
});

test("--check writes nothing, and its exit code is 1 when the module is out of date", async () => {
  expect(await run(source, target, files, "--check")).toMatchObject({ code: 1 });
  await run(source, target, files);
  expect(await run(source, target, files, "--check")).toMatchObject({ code: 0 });
  const before = readFileSync(target, "utf8");
  writeFileSync(source, SCHEMA.replace("title: String author", "title: String! author"));
  expect((await run(source, target, files, "--check")).text).toContain("is out of date");
  expect(readFileSync(target, "utf8")).toBe(before);
});

test.each([
  ["query A { nowhere }", 'Cannot query field "nowhere" on type "Query"'],
  ["{ now }", "has no name"],
  ["query A { now } query A { now }", 'only one operation named "A"'],
  ["query A {", "Syntax Error"],
  ...["delete", "await", "documents", "createClient", "JSON", "undefined"].map((name): [string, string] => [
    `query A { now }\nquery ${name} { now }`,
    `${join(folder, "all.gql")}:2: an operation cannot have the name "${name}"`,
  ]),
])("%s is refused with the reason", async (text, reason) => {
  writeFileSync(join(folder, "all.gql"), text);
  expect(await run(source, target, files)).toEqual({ code: 1, text: expect.stringContaining(reason) });
});

test.each([
  [[], "usage: framework-graphql"],
  [[source, target], "usage: framework-graphql"],
  [[source, target, join(folder, "*.none")], "no file matches"],
  [[source, target, files, "--chek"], "--chek"],
])("%j ends with exit code 1 and the reason", async (args, text) => {
  expect(await run(...args)).toEqual({ code: 1, text: expect.stringContaining(text) });
});
