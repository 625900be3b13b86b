import { randomUUID } from "node:crypto";
import { bundledProgram } from "@framework/bundled-sources";
import { withServer } from "@framework/services";
import { type Program, startProgram } from "@framework/testing";
import { expect, test } from "@jest/globals";

withServer("redis", (url) => {
  test("two hosts with Redis share sessions, which survive the death of a host; destroyAll applies to both", async () => {
    const env = { REDIS_URL: url, KEY_PREFIX: `sessions-${randomUUID()}:` };
    const start = (): Promise<Program> =>
      startProgram(bundledProgram(new URL("./shop.test-program.ts", import.meta.url)), {
        args: ["--no-logs"],
        env,
        conditions: ["@framework/source"],
        timeoutMs: 120_000,
      });
    const [one, starting] = [await start(), start()];
    await using two = await starting;
    const login = async (host: Program): Promise<string> =>
      (await host.client.post("/login/ann")).cookies.get("session_id")?.value ?? "";
    const headers = (id: string): { readonly cookie: string } => ({ cookie: `session_id=${id}` });
    const userOf = async (host: Program, id: string): Promise<unknown> =>
      (await host.client.get("/me", { headers: headers(id) })).json<{ user: unknown }>().user;
    const [phone, laptop] = [await login(one), await login(two)];
    const added = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        (at % 2 === 0 ? one : two).client.post(`/add/n${at}`, { headers: headers(phone) }),
      ),
    );
    expect(added.map((reply) => reply.status)).toEqual(added.map(() => 200));
    const names = (await two.client.get("/names", { headers: headers(phone) })).json();
    expect(names).toEqual(Array.from({ length: 20 }, () => true));
    one.kill();
    expect([await userOf(two, phone), await userOf(two, laptop)]).toEqual(["ann", "ann"]);
    await using three = await start();
    expect(await userOf(three, phone)).toBe("ann");
    const changed = await three.client.post("/password", { headers: headers(phone) });
    const renewed = changed.cookies.get("session_id")?.value ?? "";
    for (const host of [two, three])
      expect([await userOf(host, phone), await userOf(host, laptop), await userOf(host, renewed)]).toEqual([
        null,
        null,
        "ann",
      ]);
  }, 240_000);
});
