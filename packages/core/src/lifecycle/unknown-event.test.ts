import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { App } from "../app.ts";

const log = { info() {}, warn() {}, error() {} };

test.each([
  ["start", 'there is no event "start"; did you mean "startup"?'],
  ["statup", 'there is no event "statup"; did you mean "startup"?'],
  ["Shutdown", 'there is no event "Shutdown"; did you mean "shutdown"?'],
  ["shutdwon", 'there is no event "shutdwon"; did you mean "shutdown"?'],
  ["stop", 'there is no event "stop"; the events are "startup" and "shutdown"'],
  ["", 'there is no event ""; the events are "startup" and "shutdown"'],
  [undefined, 'there is no event "undefined"; the events are "startup" and "shutdown"'],
  [Object.create(null), 'there is no event "an object"; the events are "startup" and "shutdown"'],
  [Symbol("start"), 'there is no event "Symbol(start)"; the events are "startup" and "shutdown"'],
])(
  "onEvent(%p) fails the start with the nearest name or a list of events, and the handler does not run",
  async (event, message) => {
    let runs = 0;
    const app = new App().onEvent(event as never, () => void runs++);
    await expect(app.start({ log })).rejects.toMatchObject({
      problems: [{ code: "CORE_UNKNOWN_EVENT", message }],
    });
    expect(runs).toBe(0);
  },
);

test('a JavaScript program that calls onEvent("start") exits with code 1 and suggests "startup"', async () => {
  const index = JSON.stringify(new URL("../index.ts", import.meta.url).href);
  const program = `import { App } from ${index}; await new App().onEvent("start", () => {}).run({ port: 0 });`;
  const args = ["--conditions=@framework/source", "--input-type=module", "-e", program];
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    const env = { ...process.env, NODE_OPTIONS: "" };
    execFile(process.execPath, args, { cwd, env, timeout: 100_000 }, (error, _stdout, text) =>
      resolve({ code: error?.code ?? 0, stderr: text }),
    );
  });
  expect(code).toBe(1);
  expect(stderr).toBe(
    'The service did not start, 1 problem:\n  CORE_UNKNOWN_EVENT: there is no event "start"; did you mean "startup"?\nCause and remedy: npx @framework/cli explain CORE_UNKNOWN_EVENT\n',
  );
});
