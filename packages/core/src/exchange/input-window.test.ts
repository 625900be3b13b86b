import { execFile } from "node:child_process";
import { expect, test } from "@jest/globals";

const index = JSON.stringify(new URL("../index.ts", import.meta.url).href);

/** Node's own `Request` and `Response` need `Buffer`, so only core is loaded without it. */
const program = `
new Request("http://localhost/");
const { Buffer } = globalThis;
delete globalThis.Buffer;
const { App } = await import(${index});
globalThis.Buffer = Buffer;
const app = new App();
app.post("/books", async (request) => ({ created: await request.json() }));
const reply = await app.fetch(new Request("http://localhost/books", { method: "POST", body: '{"title":"Dune"}' }));
console.log(reply.status, await reply.text());
`;

test("core loads and serves `app.fetch` on a runtime without `Buffer`", async () => {
  const args = ["--conditions=@framework/source", "--input-type=module", "-e", program];
  const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
    const env = { ...process.env, NODE_OPTIONS: "" };
    execFile(process.execPath, args, { cwd: import.meta.dirname, env }, (_error, out, text) =>
      resolve({ stdout: out, stderr: text }),
    );
  });
  expect(stderr).toBe("");
  expect(stdout).toBe('200 {"created":{"title":"Dune"}}\n');
});
