import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "@jest/globals";
import type { RunOptions } from "../settings/run-options.ts";
import { startService } from "../testing/service-program.ts";
import { endPrograms, type Program } from "../testing/start-program.ts";

afterEach(endPrograms);

const CONNECTIONS = 50;

/** Opens a connection and sends a request; `reply` resolves with everything received, or with the error of the connection. */
const send = async (port: number): Promise<{ readonly reply: Promise<string> }> => {
  const socket = connect(port, "127.0.0.1");
  const reply = text(socket).catch((error: Error) => error.message);
  await once(socket, "connect");
  socket.write("GET /pid HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  return { reply };
};

const programs: readonly (readonly [string, RunOptions])[] = [
  ["a single process over its own transport", { workers: 1 }],
  ["a single process over node:http", { workers: 1, transport: "node" }],
  ["a service whose workers accept", { workers: 2, env: "production" }],
  ["a service whose primary accepts", { workers: 2, env: "production", cluster: { accept: "primary" } }],
];

/** A program's process and its workers. */
const processesOf = ({ pid }: Program): readonly number[] => {
  const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").match(/\d+/g) ?? [];
  return [pid, ...workers.map(Number)];
};

test.each(programs)("%s serves every request in its queue before it stops", async (_name, run) => {
  const program = startService({ run });
  const { url } = await program.listening;
  const processes = processesOf(program);
  expect(processes).toHaveLength(run.workers === 1 ? 1 : 3);
  for (const pid of processes) process.kill(pid, "SIGSTOP");
  const sent = await Promise.all(Array.from({ length: CONNECTIONS }, () => send(Number(new URL(url).port))));
  program.kill("SIGTERM");
  for (const pid of processes) process.kill(pid, "SIGCONT");
  const replies = await Promise.all(sent.map(({ reply }) => reply));
  expect(replies.filter((reply) => !reply.startsWith("HTTP/1.1 200 "))).toEqual([]);
  expect((await program.exit).code).toBe(0);
});
