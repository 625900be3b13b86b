import { bundledProgram } from "@framework/bundled-sources";
import { requestEveryWorker, startProgram, type TestReply } from "@framework/testing";
import { expect, test } from "@jest/globals";

test("four workers share sessions, keep all concurrent changes, and apply destroyAll in each", async () => {
  await using program = await startProgram(
    bundledProgram(new URL("./shop.test-program.ts", import.meta.url)),
    {
      args: ["--workers", "4", "--no-logs"],
      conditions: ["@framework/source"],
      timeoutMs: 120_000,
    },
  );
  const { client } = program;
  const login = async (): Promise<string> =>
    (await client.post("/login/ann")).cookies.get("session_id")?.value ?? "";
  const headers = (id: string) => ({ cookie: `session_id=${id}`, connection: "close" });
  const [phone, laptop] = [await login(), await login()];
  const pidOf = (reply: TestReply): number => reply.json<{ pid: number }>().pid;
  let count = 0;
  const add = () => client.post(`/add/n${count++ % 20}`, { headers: headers(laptop) });
  const added = await requestEveryWorker({ workers: 4, send: add, pidOf });
  while (count < 20) added.push(await add());
  expect(added.map(({ status }) => status)).toEqual(added.map(() => 200));
  const names = (await client.get("/names", { headers: headers(laptop) })).json();
  expect(names).toEqual(Array.from({ length: 20 }, () => true));
  const changed = await client.post("/password", { headers: headers(laptop) });
  const renewed = changed.cookies.get("session_id")?.value ?? "";
  for (const [id, user] of [
    [phone, null],
    [laptop, null],
    [renewed, "ann"],
  ] as const) {
    const send = () => client.get("/me", { headers: headers(id) });
    const replies = await requestEveryWorker({ workers: 4, send, pidOf });
    expect(new Set(replies.map((reply) => reply.json<{ user: unknown }>().user))).toEqual(new Set([user]));
  }
}, 180_000);
