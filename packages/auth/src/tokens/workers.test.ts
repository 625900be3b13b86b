import { once } from "node:events";
import { connect } from "node:net";
import { bundledProgram } from "@framework/bundled-sources";
import { requestEveryWorker, type Program, startProgram, waitFor } from "@framework/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { TokenPair } from "../index.ts";

let program: Program;
beforeAll(async () => {
  program = await startProgram(bundledProgram(new URL("./revocation.test-program.ts", import.meta.url)), {
    args: ["--workers", "4", "--env", "production"],
    conditions: ["@framework/source"],
  });
});
afterAll(() => program.stop());

/** Sends one request on its own connection, so that any worker may reply. */
const send = async ({ url }: Program, token: string): Promise<string> => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(
    `GET / HTTP/1.1\r\nHost: x.test\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
  );
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
  await once(socket, "close");
  return text;
};

const pidIn = (reply: string): number => Number(/x-pid: (\d+)/i.exec(reply)?.[1]);

/** Returns the distinct statuses of all four workers. */
const statusesOf = async (program: Program, token: string): Promise<ReadonlySet<string>> => {
  const replies = await requestEveryWorker({ workers: 4, send: () => send(program, token), pidOf: pidIn });
  return new Set(replies.map((reply) => reply.slice(9, 12)));
};

const login = async ({ client }: Program): Promise<TokenPair> =>
  (await client.post("/login")).json<TokenPair>();

test("four workers agree: a token revoked in one is refused by all once the revocation resolves", async () => {
  const { token } = await login(program);
  expect(await statusesOf(program, token)).toEqual(new Set(["200"]));
  const logout = await program.client.post("/logout", { headers: { authorization: `Bearer ${token}` } });
  expect(logout.status).toBe(204);
  expect(await statusesOf(program, token)).toEqual(new Set(["401"]));
  expect(await statusesOf(program, (await login(program)).token)).toEqual(new Set(["200"]));
});

test("four workers agree: one of many concurrent uses of a refresh token gets a pair, which is revoked", async () => {
  const { refreshToken } = await login(program);
  const replies = await Promise.all(
    Array.from({ length: 24 }, () => program.client.post("/refresh", { body: refreshToken })),
  );
  const successes = replies.filter(({ status }) => status === 200);
  expect([successes.length, replies.filter(({ status }) => status === 401).length]).toEqual([1, 23]);
  expect(await statusesOf(program, successes[0]?.json<TokenPair>().token ?? "")).toEqual(new Set(["401"]));
});

test("a short secret causes a warning in production too, with its code and without the secret", async () => {
  await waitFor(() => program.output().includes("AUTH_SHORT_SECRET"));
  expect(program.output()).not.toContain("a short secret");
});

test("one of four workers warns that revocations are kept in memory", async () => {
  await waitFor(() => program.output().includes("AUTH_REVOCATIONS_IN_MEMORY"));
  expect(program.output().split("AUTH_REVOCATIONS_IN_MEMORY").length).toBe(2);
});

test("the replacement of a killed worker has the revocations", async () => {
  const { token } = await login(program);
  const { token: other } = await login(program);
  await program.client.post("/logout", { headers: { authorization: `Bearer ${token}` } });
  const pid = pidIn(await send(program, other));
  process.kill(pid, "SIGKILL");
  const others = new Set<number>();
  await waitFor(async () => {
    const seen = await send(program, other).then(pidIn, () => pid); // the killed worker may have had this connection
    if (seen !== pid) others.add(seen);
    return others.size === 4;
  });
  expect(await statusesOf(program, token)).toEqual(new Set(["401"]));
});
