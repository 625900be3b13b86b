import { bundledProgram } from "@framework/bundled-sources";
import { startProgram } from "@framework/testing";
import { expect, test } from "@jest/globals";

test("four workers share sessions, changes at once are all kept, and destroyAll holds in each", async () => {
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
  const added = await Promise.all(
    Array.from({ length: 20 }, (_, at) => client.post(`/add/n${at}`, { headers: headers(laptop) })),
  );
  expect(added.map(({ status }) => status)).toEqual(added.map(() => 200));
  expect(new Set(added.map((reply) => reply.json<{ pid: number }>().pid)).size).toBeGreaterThan(1);
  const names = (await client.get("/names", { headers: headers(laptop) })).json();
  expect(names).toEqual(Array.from({ length: 20 }, () => true));
  const changed = await client.post("/password", { headers: headers(laptop) });
  const renewed = changed.cookies.get("session_id")?.value ?? "";
  for (const [id, user] of [
    [phone, null],
    [laptop, null],
    [renewed, "ann"],
  ] as const) {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => client.get("/me", { headers: headers(id) })),
    );
    expect(new Set(replies.map((reply) => reply.json<{ user: unknown }>().user))).toEqual(new Set([user]));
  }
}, 180_000);
