import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { bundledProgram } from "@framework/bundled-sources";
import { afterEach, expect, test } from "@jest/globals";
import { droppedCalls } from "./testing/dropped-calls.ts";
import { pidAt } from "./testing/service-program.ts";
import { endPrograms, startProgram } from "./testing/start-program.ts";

afterEach(endPrograms);

const head = (name: string, length: number): string =>
  `POST /drop/${encodeURIComponent(name)} HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n` +
  "content-type: multipart/form-data; boundary=b\r\n\r\n";
const part = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\nsome';

/** Requests whose client makes the promises of the body reject. */
const clients: Readonly<Record<string, (name: string) => string>> = {
  "disconnects within the body": (name) => head(name, 100_000) + part,
  "sends a malformed body": (name) => head(name, 4) + "{bad",
};

const cases = ["fast", "node"].flatMap((transport) =>
  Object.entries(clients).map(([how, bytesFor]) => [transport, how, bytesFor] as const),
);

test.each(cases)(
  "with the %s transport, a service whose handlers drop promises of the body survives a client that %s",
  async (transport, _how, bytesFor) => {
    const file = fileURLToPath(new URL("testing/fixtures/dropping.ts", import.meta.url));
    const program = startProgram(bundledProgram(file), [], { TRANSPORT: transport });
    const { url, pid } = await program.listening;
    for (const name of Object.keys(droppedCalls)) {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      socket.on("error", () => {});
      socket.write(bytesFor(name));
      await program.waitFor(`began ${name}.`);
      await pidAt(url); // by now the received part of the body was read
      socket.resetAndDestroy();
      await program.waitFor(`ended ${name}.`);
      const lines = program.stderr().split("\n");
      expect([name, lines.filter((line) => line.includes("unhandled rejection"))]).toEqual([name, []]);
    }
    expect(await pidAt(url)).toBe(pid);
    program.kill();
    expect((await program.exit).code).toBe(0);
  },
);
