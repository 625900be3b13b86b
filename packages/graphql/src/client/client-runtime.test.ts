import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "@jest/globals";
import { library, SCHEMA } from "../library.test-kit.ts";
import { runClientCommand } from "./client-command.ts";

const folder = mkdtempSync(join(tmpdir(), "graphql-runtime-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A generated module. */
interface Generated {
  readonly Now: object;
  readonly createClient: (url: string, options: object) => (operation: object) => Promise<unknown>;
}

const generated = async (): Promise<Generated> => {
  const [source, target, operations] = ["schema.graphql", "operations.ts", "now.gql"].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(source, SCHEMA);
  writeFileSync(operations, "query Now { now }");
  const ignore = (): void => {};
  expect(await runClientCommand([source, target, operations], { out: ignore, err: ignore })).toBe(0);
  return (await import(pathToFileURL(target).href)) as Generated;
};

test("names of client headers are case-insensitive; an Accept replaces the default, and the body is always JSON", async () => {
  const { Now, createClient } = await generated();
  const { app } = library();
  const sent: Request[] = [];
  const fetch = (url: string, init: RequestInit) => {
    sent.push(new Request(url, init));
    return app.fetch(new Request(url, init));
  };
  for (const headers of [
    {},
    { "Content-Type": "application/json", Accept: "application/json", Authorization: "Bearer x" },
    { "content-type": "text/plain" },
  ])
    expect(await createClient("http://localhost/graphql", { fetch, headers })(Now)).toEqual({
      data: { now: 7 },
    });
  expect(sent.map(({ headers }) => [headers.get("content-type"), headers.get("accept")])).toEqual([
    ["application/json", "application/graphql-response+json, application/json"],
    ["application/json", "application/json"],
    ["application/json", "application/graphql-response+json, application/json"],
  ]);
  expect(sent[1]?.headers.get("authorization")).toBe("Bearer x");
});

test("a reply that is no result, such as a 401 of the app, rejects; a refused operation has errors", async () => {
  const { Now, createClient } = await generated();
  const { app } = library({ guards: [() => false] });
  const fetch = (url: string, init: RequestInit) => app.fetch(new Request(url, init));
  await expect(createClient("http://localhost/graphql", { fetch })(Now)).rejects.toThrow(
    "the endpoint responded with 403",
  );
  for (const body of ["null", "[]", '"text"'])
    await expect(
      createClient("http://localhost/graphql", { fetch: async () => new Response(body) })(Now),
    ).rejects.toThrow("the endpoint responded with 200");
  const refusing = library({ onlyDocuments: true, documents: {} }).app;
  const refused = createClient("http://localhost/graphql", {
    fetch: (url: string, init: RequestInit) => refusing.fetch(new Request(url, init)),
  })(Now);
  await expect(refused).resolves.toMatchObject({ errors: [{ extensions: { status: 403 } }] });
});
