import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "@jest/globals";
import { endPrograms, startProgram } from "./testing/start-program.ts";

afterEach(endPrograms);

const program = fileURLToPath(new URL("testing/fixtures/modules.ts", import.meta.url));

interface RequestParts {
  readonly path?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

/** Sends requests over one persistent connection, like a browser or a proxy. */
const client = (url: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return (method: string, { path = "/loaded", body, headers }: RequestParts = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const outgoing = request(url + path, { method, agent, ...(headers && { headers }) }, (reply) => {
        let text = "";
        reply.setEncoding("utf8").on("data", (part: string) => (text += part));
        reply.on("end", () => resolve(JSON.parse(text)));
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });
};

const json = { "content-type": "application/json" };

test.each([
  ["one process", []],
  ["workers", ["--workers", "2"]],
])(
  "in %s, ordinary requests do not load node:http or other slow modules, and the first other request loads node:http",
  async (_, flags) => {
    const { url } = await startProgram(program, ["--env", "production", ...flags]).listening;
    const send = client(url);
    const body = JSON.stringify({ step: "post" });
    const headers = { ...json, "content-length": String(body.length) };
    expect(await send("GET")).toEqual([]);
    expect(await send("POST", { body, headers })).toEqual([]);
    expect(await send("GET")).toEqual([]);
    const chunked = { "transfer-encoding": "chunked" };
    expect(await send("PUT", { body: "text", headers: chunked })).toEqual(["text", "http"]);
  },
);

test("the framework's Response is an instance of the global Response for a program that checks it", async () => {
  const { url } = await startProgram(program, ["--env", "production", "--workers", "1"]).listening;
  const send = client(url);
  expect(await send("GET", { path: "/joined" })).toEqual([true, true]);
  expect(await send("GET")).toContain("internal/deps/undici/undici");
});
